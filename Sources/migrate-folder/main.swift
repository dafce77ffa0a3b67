import Commands

Program.run("migrate-folder")
