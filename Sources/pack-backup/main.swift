import Commands

Program.run("pack-backup")
