import type { APIPromise } from "./answer.ts";
import {
  type ClientOptions,
  type RequestOptions,
  type SendOptions,
  settingsOf,
} from "./options.ts";
import type { Query } from "./query.ts";
import { fileOf } from "./files.ts";
import { requestsOf } from "./requests.ts";
import type * as resources from "./resources.ts";
import { transportOf } from "./transport.ts";
import type { Health, Me, OpenApi, SearchQuery } from "./types.ts";

/**
 * The time limit for an upload. The service waits up to 60 seconds for the file, and then waits for
 * the channel's response.
 */
const UPLOAD_MS = 100_000;

/** The API client. */
export class CRM {
  readonly contacts: resources.Contacts;
  readonly deals: resources.Deals;
  readonly pipelines: resources.Pipelines;
  readonly stages: resources.Stages;
  readonly conversations: resources.Conversations;
  readonly messages: resources.Messages;
  readonly media: resources.Media;
  readonly templates: resources.Templates;
  readonly sends: resources.Sends;
  readonly events: resources.Events;
  readonly webhooks: resources.Webhooks;
  readonly teams: resources.Teams;
  readonly members: resources.Members;
  /** Searches contacts, deals and conversations by text. The best match comes first. */
  readonly search: (
    q: string,
    query?: Omit<SearchQuery, "q">,
    options?: RequestOptions,
  ) => APIPromise<resources.Found[]>;
  /**
   * Returns the company and the API key of this client, and the limits that apply. Any valid API
   * key is accepted.
   */
  readonly me: (options?: RequestOptions) => APIPromise<Me>;
  /**
   * Returns the service's release, and whether the database responds. The API key needs no scope
   * for this request.
   */
  readonly health: (options?: RequestOptions) => APIPromise<Health>;
  /** The API's OpenAPI document. */
  readonly openApi: (options?: RequestOptions) => APIPromise<OpenApi>;

  /** @throws TypeError if an option is missing or invalid. The message names the option. */
  constructor(options: ClientOptions) {
    const { asked, listed, many, record, sent } = requestsOf(transportOf(settingsOf(options)));
    const reads = (name: string) => ({
      list: (query?: Query, options?: RequestOptions) => listed([name], query, options),
      get: (id: string, query?: Query, options?: RequestOptions) =>
        record("GET", [name, id], { query, options }),
    });
    const changes = (name: string) => ({
      changes: (query?: Query, options?: RequestOptions) =>
        listed([name, "changes"], query, options),
    });
    const update = (name: string) => ({
      update: (id: string, body: unknown, options?: RequestOptions) =>
        record("PATCH", [name, id], { body, options, type: "application/merge-patch+json" }),
    });
    const writes = (name: string) => ({
      ...update(name),
      create: (body: unknown, options?: RequestOptions) =>
        record("POST", [name], { body, options }),
      archive: (id: string, options?: RequestOptions) => asked("DELETE", [name, id], { options }),
    });
    const all = (name: string) => ({
      ...reads(name),
      ...changes(name),
      ...writes(name),
      restore: (id: string, options?: RequestOptions) =>
        record("POST", [name, id, "restore"], { options }),
      createMany: (items: readonly unknown[], query?: Query, options?: RequestOptions) =>
        many("POST", [name, "batch"], items, query, options),
      updateMany: (items: readonly unknown[], query?: Query, options?: RequestOptions) =>
        many("PATCH", [name, "batch"], items, query, options),
    });

    this.contacts = {
      ...all("contacts"),
      put: (body, query, options) => record("PUT", ["contacts"], { body, query, options }),
      merge: (id, body, options) => record("POST", ["contacts", id, "merge"], { body, options }),
      export: (id, options) => record("GET", ["contacts", id, "export"], { options }),
      erase: (id, body, options) => record("POST", ["contacts", id, "erase"], { body, options }),
    };
    this.deals = {
      ...all("deals"),
      history: (id, query, options) => listed(["deals", id, "history"], query, options),
    };
    this.pipelines = { ...reads("pipelines"), ...writes("pipelines") };
    this.stages = {
      ...reads("stages"),
      ...writes("stages"),
      archive: (id, query, options) => asked("DELETE", ["stages", id], { query, options }),
    };
    this.conversations = {
      ...reads("conversations"),
      ...changes("conversations"),
      ...update("conversations"),
      messages: (id, query, options) => listed(["conversations", id, "messages"], query, options),
      reply: (conversation_id: string, reply: object, options?: SendOptions) =>
        sent(["whatsapp", "messages"], reply, options, { conversation_id }),
    };
    this.messages = {
      ...changes("messages"),
      get: reads("messages").get,
      media: (id, options) =>
        asked("GET", ["messages", id, "media"], { options, isFile: true }, fileOf),
      markRead: (id, { typing } = {}, options) =>
        asked("POST", [], {
          path: ["whatsapp", "messages", id, "read"],
          body: { typing },
          isRepeatable: true,
          options,
        }, ({ data }) => data),
      react: (id, emoji, options) =>
        asked("PUT", [], {
          path: ["whatsapp", "messages", id, "reaction"],
          body: { emoji },
          isRepeatable: true,
          options,
        }, ({ data }) => data),
      unreact: (id, options) =>
        asked("DELETE", [], {
          path: ["whatsapp", "messages", id, "reaction"],
          isRepeatable: true,
          options,
        }),
    };
    this.media = {
      upload: (file, { type, filename, phone_number_id }, options) =>
        asked("POST", [], {
          path: ["whatsapp", "media"],
          query: { filename, phone_number_id },
          file,
          type,
          isRepeatable: true,
          options: { ...options, timeout: options?.timeout ?? UPLOAD_MS },
        }, ({ data }) => data),
      get: (id, options) =>
        asked("GET", [], { path: ["whatsapp", "media", id], options }, ({ data }) => data),
    };
    this.templates = {
      ...reads("templates"),
      send: (message: object, options?: SendOptions) =>
        sent(["send-external-template"], message, options),
    };
    this.sends = {
      ...reads("sends"),
      find: (idempotency_key, query, options) =>
        asked(
          "GET",
          ["sends"],
          { query: { ...query, idempotency_key }, need: "idempotency_key", options },
          ({ data }) => data && (data[0] ?? null),
        ),
    };
    this.events = reads("events");
    this.webhooks = {
      ...reads("webhooks"),
      ...update("webhooks"),
      create: writes("webhooks").create,
      delete: writes("webhooks").archive,
      rotateSecret: (id, body, options) =>
        record("POST", ["webhooks", id, "rotate-secret"], { body, options }),
      replay: (id, body, options) => record("POST", ["webhooks", id, "replay"], { body, options }),
      test: (id, options) => record("POST", ["webhooks", id, "test"], { options }),
      deliveries: (id, query, options) => listed(["webhooks", id, "deliveries"], query, options),
      redeliver: (id, event_id, options) =>
        record("POST", ["webhooks", id, "deliveries", event_id, "redeliver"], { options }),
    };
    this.teams = reads("teams");
    this.members = reads("members");
    this.search = (q, query, options) =>
      record("GET", ["search"], { query: { ...query, q }, need: "q", options });
    this.me = (options) => record("GET", ["me"], { options });
    this.health = (options) => record("GET", ["health"], { options });
    this.openApi = (options) => asked("GET", ["openapi.json"], { options }, (body) => body);
  }
}
