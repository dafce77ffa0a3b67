import Commands

Program.run("restore-backup")
