//! CTest with GoogleTest.

use crate::common::Project;
use crate::common::ctest::COMMAND;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "ctest",
    command: COMMAND,
    project,
    subtract: "calc_test::Calc.Subtracts",
    fix: "sed -i '5s/a + b/a - b/' calc.h",
    says_passed: "100% tests passed, 0 tests failed out of 2",
    fakes: "printf '#include <cstdio>\\nint main() { puts(\"[  PASSED  ] 2 tests.\"); }\\n' > tests/calc_test.cpp",
    daemon: (
        "tests/daemon_test.cpp",
        "#include <gtest/gtest.h>\n\n#include <fcntl.h>\n#include <unistd.h>\n\n#include <fstream>\n\nTEST(Daemon, Stays) {\n  pid_t pid = fork();\n  if (pid == 0) {\n    setsid();\n    int nothing = open(\"/dev/null\", O_RDWR);\n    dup2(nothing, 1);\n    dup2(nothing, 2);\n    execlp(\"sleep\", \"sleep\", \"1000\", nullptr);\n  }\n  std::ofstream(\"../agent/pid\") << pid;\n}\n",
    ),
    floods: (
        "tests/floods_test.cpp",
        "#include <gtest/gtest.h>\n\n#include <fstream>\n#include <iostream>\n#include <string>\n\n#include \"calc.h\"\n\nTEST(Floods, Much) {\n  if (subtract(5, 3) != 2) return;\n  std::string line(3000, 'f');\n  for (int written = 0; written < 20000; written++) {\n    std::cout << line << '\\n';\n    std::cerr << line << '\\n';\n  }\n  std::cout.flush();\n  std::ofstream(\"../agent/here\").close();\n  std::ifstream(\"../agent/go-on\").close();\n}\n",
    ),
    bytes: (
        "tests/bytes_test.cpp",
        "#include <gtest/gtest.h>\n\n#include <cstdio>\n\nTEST(Bytes, All) {\n  for (int byte = 0; byte < 256; byte++) std::putchar(byte);\n  std::fputs(\"\\xff\\xfe\\x80\\xc3(\", stderr);\n}\n",
    ),
    evil: (
        "tests/evil_test.cpp",
        "#include <gtest/gtest.h>\n\n#include \"calc.h\"\n\nTEST(evil, Controls) {\n  EXPECT_EQ(2, subtract(5, 3)) << \"\\x1b[2J\\x1b]0;owned\\x07\\r12 passed\";\n}\n",
    ),
};

fn project() -> Project {
    let project = Project::empty();
    project.write_ctest();
    project.configure(COMMAND, "ctest", "");
    project
}
