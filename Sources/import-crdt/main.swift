import Commands

Program.run("import-crdt")
