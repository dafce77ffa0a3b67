import Commands

Program.run("cleanup-legacy")
