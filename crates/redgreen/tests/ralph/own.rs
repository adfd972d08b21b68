//! A loop of somebody's own: a plain `while` around an agent, with redgreen as its gate.

use crate::common::{Project, events};

/// Lies, does half, breaks what counts already, and then does it.
const AGENT: &str = r#"case $1 in
1) echo "all tests pass" ;;
2) sed -i 's/^first=.*/first=ok/' value.sh ;;
3) sed -i 's/^second=.*/second=ok/' value.sh ;;
4) sed -i 's/^first=.*/first=broken/' value.sh ;;
5) sed -i 's/^first=.*/first=ok/' value.sh; echo third=ok >>value.sh; echo '. ./value.sh; [ "$third" = ok ]' >tests/cases/third ;;
esac
"#;

#[test]
fn a_while_loop_of_ones_own_is_answered_and_recorded() {
    let project = Project::shell();
    std::fs::write(project.outside().join("agent.sh"), AGENT).expect("an agent");
    let script = format!(
        "n=0\nwhile [ $n -lt 5 ]; do n=$((n+1)); sh '{}/agent.sh' $n >/dev/null\n  if '{}' gate --iteration $n --loop mine --json >>'{}/said' 2>>'{}/errors'; then echo \"$n counts\"; git add -A; git -c user.name=a -c user.email=a@x commit -qm \"iteration $n\"; else echo \"$n does not: $?\"; fi\ndone\n",
        project.outside().display(),
        env!("CARGO_BIN_EXE_redgreen"),
        project.outside().display(),
        project.outside().display(),
    );
    let output = project.command("sh").args(["-c", &script]).output().expect("sh");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let text = format!("{said}\n{}\n{}", project.notes("said"), project.notes("errors"));
    let wanted = "1 does not: 1\n2 does not: 1\n3 counts\n4 does not: 1\n5 counts\n";
    assert_eq!(said, wanted, "{text}");
    let answers: Vec<_> = events(&project.notes("said"))
        .into_iter()
        .filter(|it| it["result"] == "iteration")
        .collect();
    let gained: Vec<bool> = answers.iter().map(|it| it["gained"] == true).collect();
    assert_eq!(gained, [false, true, true, false, true], "{text}");
    assert_eq!(answers[4]["progress"], 1.0, "{text}");
    assert!(answers[0]["why"].as_str().expect("text").contains("nothing was changed"), "{text}");
    // The same question has the same answer; another tree under an old number has none.
    let again = project.redgreen(&["gate", "--iteration", "5", "--loop", "mine"]);
    assert_eq!(again.code, Some(0), "{}{}", again.stdout, again.stderr);
    assert!(again.stdout.starts_with("COUNTS: iteration 5 of mine"), "{}", again.stdout);
    project.write("value.sh", "first=ok\n");
    let forged = project.redgreen(&["gate", "--iteration", "5", "--loop", "mine"]);
    assert_eq!(forged.code, Some(2), "{}{}", forged.stdout, forged.stderr);
    assert!(forged.stderr.contains("the next is 6"), "{}", forged.stderr);
    let table = project.redgreen(&["ralph", "--status", "mine"]);
    assert_eq!(table.stdout.matches("does not count").count(), 3, "{}", table.stdout);
    // Whoever writes into the record is not believed.
    let journal = ".redgreen/ralph/mine/journal.jsonl";
    let forged = project.read(journal).replace("\"allowed\":false", "\"allowed\":true");
    project.write(journal, forged);
    let refused = project.redgreen(&["gate", "--iteration", "6", "--loop", "mine"]);
    assert_eq!(refused.code, Some(2), "{}{}", refused.stdout, refused.stderr);
    assert!(refused.stderr.contains("not as redgreen wrote it"), "{}", refused.stderr);
}
