import Commands

Program.run("sync-folder")
