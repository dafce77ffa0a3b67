import Commands

Program.run("generate-store")
