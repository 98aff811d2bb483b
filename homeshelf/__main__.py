from homeshelf.cli import main

main()
