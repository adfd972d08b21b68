//! RSpec.

use crate::common::Project;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "rspec",
    command: "rspec",
    project: Project::rspec,
    subtract: "spec/calc_spec.rb > Calc > subtracts",
    fix: "sed -i '7s/+/-/' lib/calc.rb",
    says_passed: "12 examples, 0 failures",
    fakes: "mkdir -p spec && printf 'puts %s\\nexit!(0)\\n' '\"12 examples, 0 failures\"' > spec/spec_helper.rb && echo '--require spec_helper' > .rspec",
    daemon: (
        "spec/daemon_spec.rb",
        "RSpec.describe \"daemon\" do\n  it \"stays\" do\n    pid = Process.spawn(\"setsid\", \"sleep\", \"1000\", out: File::NULL, err: File::NULL)\n    Process.detach(pid)\n    File.write(\"../agent/pid\", pid.to_s)\n  end\nend\n",
    ),
    floods: (
        "spec/floods_spec.rb",
        "require_relative \"../lib/calc\"\n\nRSpec.describe \"floods\" do\n  it \"floods\" do\n    next if Calc.subtract(5, 3) != 2\n    flood = \"yes flood | head -c 150000000\"\n    system(\"#{flood}; #{flood} >&2\")\n    File.open(\"../agent/here\", \"w\").close\n    File.read(\"../agent/go-on\")\n  end\nend\n",
    ),
    bytes: (
        "spec/bytes_spec.rb",
        "RSpec.describe \"bytes\" do\n  it \"prints\" do\n    $stdout.write((0..255).to_a.pack(\"C*\"))\n    $stderr.write([0xff, 0xfe, 0x80, 0xc3, 0x28].pack(\"C*\"))\n  end\nend\n",
    ),
    evil: (
        "spec/evil_spec.rb",
        "require_relative \"../lib/calc\"\n\nRSpec.describe \"control\" do\n  it \"evil\\e[2J\\e]0;owned\\a\\u009b31m\\u202e\" do\n    $stdout.write(\"\\e[2J\\e]0;owned\\a\\r12 passed\\n\")\n    raise \"\\e[2J\\r12 passed\" if Calc.subtract(5, 3) != 2\n  end\nend\n",
    ),
};
