
// When the agent says that it is done, redgreen is asked, and its refusal is the next prompt.
//
// `opencode run` ends as soon as the session is idle, and nobody waits for what is done on an event.
// So there redgreen is asked while the last text is being completed, which is waited for, and a
// refusal is handed over as soon as that step has ended. Everywhere else being idle is early enough.
import { spawn } from "node:child_process"

const HEADLESS = process.argv.includes("run")
const FAILURES_MAX = 3
// Tools that change nothing: after them there is nothing new to judge.
const LOOKING = new Set(["read", "grep", "glob", "list", "webfetch", "websearch", "todowrite", "todoread"])

// Resolves to the answer, to {} for none, and to undefined if redgreen could not be asked.
function ask(event, payload) {
  return new Promise((resolve) => {
    const gate = spawn(REDGREEN, ["gate", "--hook", AGENT, "--event", event], {
      cwd: payload.cwd,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const timer = setTimeout(() => gate.kill("SIGKILL"), LIMIT_SECONDS * 1000)
    let said = ""
    gate.stdout.setEncoding("utf8")
    gate.stdout.on("data", (piece) => (said += piece))
    gate.stdin.on("error", () => {})
    gate.on("error", () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    gate.on("close", (code) => {
      clearTimeout(timer)
      if (code !== 0) return resolve(undefined)
      try {
        resolve(said.trim() ? JSON.parse(said) : {})
      } catch {
        resolve(undefined)
      }
    })
    gate.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
  })
}

export const Redgreen = async ({ client, directory }) => {
  const sessions = new Map()
  const children = new Set()
  const ended = new Set()

  function known(id) {
    if (!sessions.has(id)) sessions.set(id, { begun: undefined, dirty: false, failures: 0, refusal: undefined, said: undefined })
    return sessions.get(id)
  }

  function begin(id) {
    const session = known(id)
    session.begun ??= ask("session-start", { session_id: id, cwd: directory })
    return session.begun
  }

  async function show(text) {
    if (HEADLESS) return void process.stderr.write(`redgreen: ${text}\n`)
    try {
      await client.tui.showToast({ body: { message: text, variant: "warning" } })
    } catch {
      // There is nobody to show it to.
    }
  }

  // Asks redgreen, and keeps its refusal for the next prompt.
  async function judge(id) {
    const session = known(id)
    await begin(id)
    session.dirty = false
    const answer = await ask("stop", { session_id: id, cwd: directory, last_assistant_message: session.said })
    if (answer === undefined) {
      session.failures += 1
      const reason = `redgreen could not be asked (${REDGREEN}): what you did is not verified. Run the tests.`
      session.refusal = session.failures <= FAILURES_MAX ? reason : undefined
      if (!session.refusal) await show("redgreen could not be asked: nothing is verified")
      return
    }
    session.failures = 0
    session.refusal = answer.decision === "block" ? answer.reason : undefined
    if (answer.systemMessage) await show(answer.systemMessage)
  }

  async function handBack(id) {
    const session = known(id)
    const refusal = session.refusal
    if (!refusal) return
    session.refusal = undefined
    // What was refused is judged again when the agent says so again, whatever it did meanwhile.
    session.dirty = true
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: refusal }] } })
  }

  return {
    "chat.message": async (input) => {
      if (!children.has(input.sessionID)) await begin(input.sessionID)
    },
    "tool.execute.after": async (input) => {
      if (!LOOKING.has(input.tool)) known(input.sessionID).dirty = true
    },
    "experimental.text.complete": async (input, output) => {
      if (children.has(input.sessionID)) return
      const session = known(input.sessionID)
      session.said = output.text
      if (HEADLESS && session.dirty) await judge(input.sessionID)
    },
    event: async ({ event }) => {
      const about = event.properties
      if (event.type === "session.created" && about.info?.parentID) children.add(about.info.id)
      if (event.type === "message.part.updated" && HEADLESS) {
        const part = about.part
        const ends = part?.type === "step-finish" && part.reason === "stop" && !children.has(part.sessionID)
        if (!ends || ended.has(part.id)) return
        ended.add(part.id)
        // Without a last text it was not asked yet; now it may be too late, and that is no reason not to.
        if (known(part.sessionID).dirty) await judge(part.sessionID)
        await handBack(part.sessionID)
      }
      if (event.type === "session.idle" && !HEADLESS && !children.has(about.sessionID)) {
        if (!known(about.sessionID).dirty) return
        await judge(about.sessionID)
        await handBack(about.sessionID)
      }
    },
  }
}
