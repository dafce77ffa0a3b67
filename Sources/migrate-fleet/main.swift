import Commands

Program.run("migrate-fleet")
