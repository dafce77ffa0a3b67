import Commands

Program.run("merge-conflicts")
