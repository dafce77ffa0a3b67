import Commands

Program.run("report-folder")
