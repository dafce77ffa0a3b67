import Commands

Program.run("rollback-folder")
