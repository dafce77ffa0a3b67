import Commands

Program.run("recover-folder")
