import { escaped, HEADERS } from "../static_files.ts";

/** An e-mail that Supabase Auth would send. */
export interface Mail {
  /** When the e-mail was written. */
  at: string;
  to: string;
  kind: "magic_link" | "recovery" | "invite" | "email_change" | "reauthentication";
  /** The link's URL; null when the e-mail has only a code. */
  link: string | null;
  /** The code that the recipient may type instead of following the link. */
  code: string;
}

/** The local stack's e-mails, which are never sent. */
export interface Mailbox {
  keep(mail: Omit<Mail, "at">): void;
  /** Serves /sandbox/mail as an HTML page for browsers and as JSON for programs. */
  fetch(request: Request): Response;
}

const MOST_KEPT = 50;

/** Keeps the newest e-mails in memory. */
export function mailbox(now: () => Date = () => new Date()): Mailbox {
  const mails: Mail[] = [];
  return {
    keep(mail) {
      mails.unshift({ at: now().toISOString(), ...mail });
      mails.splice(MOST_KEPT);
    },
    fetch(request) {
      if (request.method !== "GET" && request.method !== "HEAD") {
        const message = `${request.method} is not allowed here; use GET, HEAD`;
        return Response.json({ message }, { status: 405, headers: { Allow: "GET, HEAD" } });
      }
      const headers = { ...HEADERS, "Cache-Control": "no-store", Vary: "Accept" };
      if (/\bapplication\/json\b/.test(request.headers.get("Accept") ?? "")) {
        return Response.json(mails, { headers });
      }
      return new Response(page(mails), {
        headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
      });
    },
  };
}

const SUBJECTS: Record<Mail["kind"], string> = {
  magic_link: "A link to sign in",
  recovery: "A link to choose a new password",
  invite: "An invitation",
  email_change: "A link to confirm a new address",
  reauthentication: "A code to confirm who you are",
};

function page(mails: Mail[]): string {
  const items = mails.map(({ at, to, kind, link, code }) =>
    `<li>
<h2>${SUBJECTS[kind]}</h2>
<p>To ${escaped(to)}, <time datetime="${at}">${at.slice(0, 19).replace("T", " ")} UTC</time></p>
<p>${link ? `<a href="${escaped(link)}">${escaped(link)}</a>` : `The code is ${escaped(code)}.`}</p>
</li>`
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Mail of the local stack</title>
<style>
body{max-width:42rem;margin:3rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}
ol{list-style:none;padding:0}li{border-top:1px solid;margin:1rem 0}h2{font-size:1.1rem;margin:1rem 0 0}
p{margin:.25rem 0}a{overflow-wrap:anywhere}
</style>
<main>
<h1>Mail of the local stack</h1>
<p>Nothing is sent from here. These are the newest ${MOST_KEPT} mails that a hosted project would send. They are
lost when the stack ends. A link works once, for an hour.</p>
${items.length > 0 ? `<ol>\n${items.join("\n")}\n</ol>` : "<p>There is no mail yet.</p>"}
</main>
`;
}
