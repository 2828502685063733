package urinats_test

const taskVariable = "URINATS_TASK"

func runTask(string) int { return 2 }
