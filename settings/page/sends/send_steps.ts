import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../app.ts";
import { moment } from "../moments.ts";
import type { Step } from "../pieces/timeline.ts";
import { preciseReason } from "./reasons.ts";
import { authorOf, type WholeSend } from "./send.ts";

/** The steps of a send, earliest first, and the steps that may still follow. */
export function stepsOf(send: WholeSend, app: App): Step[] {
  const { t: { send: { steps: t } }, locale } = app;
  const { outcome, created_at, attempt, attempted_at, has_channel_id } = send;
  const { sent_at, delivered_at, read_at, failed_at, expired_at } = send;
  const steps: Step[] = [
    { title: t.requested, at: created_at, tone: "good", more: authorOf(send, app) },
  ];
  if (attempt > 1) steps.push({ title: t.again(attempt), at: attempted_at, tone: "good" });
  if (has_channel_id) steps.push({ title: t.accepted, at: null, tone: "good" });
  if (sent_at) steps.push({ title: t.sent, at: sent_at, tone: "good" });
  const arrived = delivered_at ?? read_at;
  if (failed_at && arrived) {
    steps.push({ title: t.failedOnce, at: failed_at, tone: "warn", more: t.failedOnceMore });
  }
  if (delivered_at) steps.push({ title: t.delivered, at: delivered_at, tone: "good" });
  if (read_at) steps.push({ title: t.read, at: read_at, tone: "good" });
  switch (outcome) {
    case "failed":
    case "refused":
      steps.push({ title: t[outcome], at: failed_at, tone: "bad", more: whyOf(send, app) });
      break;
    case "released":
      steps.push({ title: t.released, at: failed_at, tone: "warn", more: whyOf(send, app) });
      break;
    case "expired":
      steps.push({ title: t.expired, at: expired_at, tone: "warn", more: t.expiredMore });
      break;
    case "pending":
      steps.push({
        ...{ title: t.pending, at: null, tone: "quiet" },
        more: t.pendingMore(moment(send.lease_ends_at, locale)),
      });
      break;
    case "accepted":
      steps.push({ title: t.waiting, at: null, tone: "quiet", more: t.waitingMore });
      break;
    case "delivered":
      steps.push({ title: t.notRead, at: null, tone: "quiet", more: t.notReadMore });
      break;
    case "read":
      break;
  }
  return steps;
}

/** Why a send did not arrive, what the user can do, and WhatsApp's own error message. */
function whyOf({ reason, code, failure }: WholeSend, app: App): TemplateResult {
  const { t: { send: t, sends } } = app;
  const { what, todo } = t.explanations[preciseReason(reason!, code, sends)];
  const words = [failure?.message, failure?.details].filter((each) => !!each)
    .filter((each, place, all) => all.indexOf(each) === place);
  return html`
    <p>${what}</p>
    <p>${todo}</p>
    ${reason === "channel_account_error"
      ? html`<p><a href=${app.href("accounts")}>${t.toAccounts}</a></p>`
      : nothing}
    ${code === null ? nothing : html`
      <p class="hint">${t.channelSays(String(code))}${words.map((each) =>
        html`
          <q>${each}</q>
        `
      )}</p>
    `}
  `;
}
