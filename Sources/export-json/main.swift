import Commands

Program.run("export-json")
