import Commands

Program.run("repair-crdt")
