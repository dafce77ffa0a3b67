import Commands

Program.run("migrate-schema")
