import Commands

Program.run("verify-counts")
