import Commands

Program.run("generate-folder")
