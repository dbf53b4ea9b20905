// written by `remem connect openclaw`; `remem disconnect openclaw` removes it
import { spawn } from "node:child_process";
import { realpathSync, statSync } from "node:fs";
import path from "node:path";

const command = {};
const timeoutMs = 8000; // remem itself gives up after 5 seconds
const starts = new Map(); // the start text of a conversation, until one of its files changes
const tokens = new Map(); // the token of a conversation, while it is certainly valid
const maxEntries = 200;

// Call remem with an event and return its payload; any failure gives an empty payload.
function ask(event, input) {
  return new Promise((resolve) => {
    let text = "";
    let child;
    try {
      child = spawn(command.program, [...command.arguments, event, "--host", "openclaw"], {
        stdio: ["pipe", "pipe", "ignore"],
      });
    } catch {
      return resolve({});
    }
    const late = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    child.on("error", () => {
      clearTimeout(late);
      resolve({});
    });
    child.stdin.on("error", () => {});
    child.stdout.on("data", (piece) => (text += piece));
    child.on("close", () => {
      clearTimeout(late);
      try {
        resolve(text ? JSON.parse(text) : {});
      } catch {
        resolve({});
      }
    });
    child.stdin.end(JSON.stringify(input));
  });
}

function stamp(file) {
  try {
    const seen = statSync(file);
    return `${seen.mtimeMs}:${seen.size}`;
  } catch {
    return "-";
  }
}

// The event comes with every turn: remem is called again only when one of its files has changed.
async function startOf(key, input) {
  const known = starts.get(key);
  const now = (files) => files.map(stamp).join(" ") + new Date().toDateString();
  const token = tokens.get(key);
  const good = Boolean(token && Date.now() < token.until);
  if (good && known && known.seen === now(known.files)) return { ...known.payload, token: token.text };
  const payload = await ask("bootstrap", { ...input, hasToken: good });
  if (payload.token) {
    keep(tokens, key, { text: payload.token, until: Date.now() + payload.expires_in * 500 });
  }
  if (Array.isArray(payload.files)) {
    keep(starts, key, { payload, files: payload.files, seen: now(payload.files) });
  }
  return { ...payload, token: payload.token ?? (good ? token.text : undefined) };
}

function keep(map, key, value) {
  if (map.size >= maxEntries && !map.has(key)) map.delete(map.keys().next().value);
  map.set(key, value);
}

// Other agents have other workspaces, which this hook ignores.
function isOurs(folder) {
  try {
    return realpathSync(folder) === realpathSync(command.workspace);
  } catch {
    return false;
  }
}

async function bootstrap(event) {
  const context = event.context;
  if (!Array.isArray(context.bootstrapFiles) || !isOurs(context.workspaceDir)) return;
  const sessionKey = context.sessionKey ?? event.sessionKey;
  const input = {
    sessionKey,
    sessionId: context.sessionId,
    agentId: context.agentId,
    workspaceDir: context.workspaceDir,
  };
  const payload = await startOf(`${sessionKey}\n${context.sessionId ?? ""}`, input);
  const content = [payload.text, payload.token].filter(Boolean).join("\n");
  if (!content) return;
  const given = context.bootstrapFiles.filter((file) => !file.remem);
  const ours = { content, missing: false, remem: true };
  const at = given.findIndex((file) => file.name === payload.in_place_of);
  // New objects in a new list: the host keeps its own from turn to turn.
  if (at >= 0) {
    context.bootstrapFiles = given.with(at, { ...given[at], ...ours });
  } else {
    // Directly after the first file, because the last ones are left out when space is short.
    const file = { name: "AGENTS.md", path: path.join(context.workspaceDir, payload.path), ...ours };
    context.bootstrapFiles = given.toSpliced(1, 0, file);
  }
}

// Pass on only these fields; a session entry can hold far more.
function ended(event) {
  const context = event.context ?? {};
  const entry = context.previousSessionEntry ?? context.sessionEntry ?? {};
  return {
    sessionKey: event.sessionKey,
    sessionId: entry.sessionId ?? context.sessionId,
    sessionFile: entry.sessionFile,
    messageCount: context.messageCount,
    agentId: context.agentId,
    workspaceDir: context.workspaceDir,
    reason: context.reason ?? event.action,
  };
}

export default async function handler(event) {
  const name = `${event.type}:${event.action}`;
  if (name === "agent:bootstrap") return bootstrap(event);
  if (name === "session:compact:before") return void (await ask("pre-compact", ended(event)));
  if (["command:new", "command:reset", "session:auto-reset"].includes(name)) {
    for (const map of [starts, tokens]) {
      for (const key of map.keys()) if (key.startsWith(`${event.sessionKey}\n`)) map.delete(key);
    }
    return void (await ask("session-end", ended(event)));
  }
  if (name === "message:received" && /^\/remem\b/.test(String(event.context?.content ?? "").trim())) {
    return void (await ask("remem", ended(event)));
  }
}
