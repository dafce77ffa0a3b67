import Commands

Program.run("inspect-crdt")
