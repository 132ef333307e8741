import type { APIPromise } from "./answer.ts";
import type { File } from "./files.ts";
import type {
  ChangeOptions,
  CreateOptions,
  ReadOptions,
  RequestOptions,
  SendOptions,
} from "./options.ts";
import type { List } from "./pages.ts";
import type {
  Archives,
  Batches,
  Changes,
  Chosen,
  FieldChoice,
  Gets,
  GetsWith,
  Lists,
  ListsWith,
  Restores,
  Writes,
} from "./records.ts";
import type { SendResult } from "./sends.ts";
import type * as api from "./types.ts";

/** The related records that `include` adds to a contact. */
export type ContactIncluded = Required<Pick<api.ContactWithIncluded, "deals" | "conversations">>;
/** The related records that `include` adds to a deal. */
export type DealIncluded = Required<Pick<api.DealWithIncluded, "contact" | "stage">>;
/** The related records that `include` adds to a pipeline. */
export type PipelineIncluded = Required<Pick<api.PipelineWithIncluded, "stages">>;
/** The related records that `include` adds to a conversation. */
export type ConversationIncluded = Required<Pick<api.ConversationWithIncluded, "contact">>;
/**
 * A contact that a batch wrote. If the response would be too large, the contacts in it have no
 * `custom_fields`.
 */
export type WrittenContact = api.Contact | api.ContactWithoutCustomFields;

/** The people that your company talks to. */
export interface Contacts
  extends
    ListsWith<api.Contact, ContactIncluded, api.ListContactsQuery>,
    GetsWith<Omit<api.ContactById, keyof ContactIncluded>, ContactIncluded, api.GetContactQuery>,
    Writes<api.Contact, api.NewContact, api.ContactPatch>,
    Changes<api.Contact, api.ListContactChangesQuery>,
    Archives,
    Restores<api.Contact>,
    Batches<
      WrittenContact,
      api.ContactToPut,
      api.ContactPatchById,
      api.WriteContactsQuery,
      api.UpdateContactsQuery
    > {
  /**
   * Updates the contact that has this phone number, in any format. If no contact has the number,
   * creates a contact. With `match: "external_id"`, the contact is found by its `external_id`.
   */
  put(
    contact: api.ContactToPut,
    query?: api.PutContactQuery,
    options?: ChangeOptions,
  ): APIPromise<api.Contact>;
  /**
   * Merges the contact in `from` into this contact. After that, a request for the id in `from`
   * returns this contact. Merging cannot be undone.
   *
   * ```ts
   * const merged = await crm.contacts.merge(ada.id, { from: duplicate.id });
   * ```
   */
  merge(
    id: string,
    body: api.Merging,
    options?: CreateOptions & ChangeOptions,
  ): APIPromise<api.Contact>;
  /** Returns the data that is stored about the contact. */
  export(id: string, options?: RequestOptions): APIPromise<api.ContactExport>;
  /**
   * Erases the contact permanently. To confirm, pass the same id in `confirm`.
   *
   * ```ts
   * await crm.contacts.erase(id, { confirm: id });
   * ```
   */
  erase(id: string, body: api.Erasing, options?: CreateOptions): APIPromise<api.Contact>;
}

/** Sales opportunities. */
export interface Deals
  extends
    ListsWith<api.Deal, DealIncluded, api.ListDealsQuery>,
    GetsWith<api.Deal, DealIncluded, api.GetDealQuery>,
    Writes<api.Deal, api.NewDeal, api.DealChanges>,
    Changes<api.Deal, api.ListDealChangesQuery>,
    Archives,
    Restores<api.Deal>,
    Batches<
      api.Deal,
      api.NewDeal,
      api.DealChangesById,
      api.CreateDealsQuery,
      api.UpdateDealsQuery
    > {
  /** The history of a deal, newest entries first. */
  history<Field extends keyof api.DealHistoryEntry = keyof api.DealHistoryEntry>(
    id: string,
    query?: api.ListDealHistoryQuery & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<api.DealHistoryEntry, Field>>;
}

/** Pipelines with the stages that deals pass through. */
export interface Pipelines
  extends
    ListsWith<api.Pipeline, PipelineIncluded, api.ListPipelinesQuery>,
    GetsWith<api.Pipeline, PipelineIncluded, api.GetPipelineQuery>,
    Writes<api.Pipeline, api.NewPipeline, api.PipelineChanges>,
    Archives {}

/** The stages of pipelines. */
export interface Stages
  extends
    Lists<api.Stage, api.ListStagesQuery>,
    Gets<api.Stage, api.GetStageQuery>,
    Writes<api.Stage, api.NewStage, api.StageChanges> {
  /** If the stage has deals, `move_deals_to` names the stage that receives the deals. */
  archive(id: string, query?: api.ArchiveStageQuery, options?: ChangeOptions): APIPromise<void>;
}

/** Conversations with contacts. */
export interface Conversations
  extends
    ListsWith<api.Conversation, ConversationIncluded, api.ListConversationsQuery>,
    GetsWith<api.Conversation, ConversationIncluded>,
    Changes<api.Conversation, api.ListConversationChangesQuery> {
  update(
    id: string,
    changes: api.ConversationChanges,
    options?: ChangeOptions,
  ): APIPromise<api.Conversation>;
  /** The messages of a conversation, newest first. */
  messages<Field extends keyof api.Message = keyof api.Message>(
    id: string,
    query?: api.ListMessagesQuery & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<api.Message, Field>>;
  /** Reports what a reply would do. Nothing is sent. */
  reply(id: string, reply: Reply, options: SendOptions & { dryRun: true }): APIPromise<api.DryRun>;
  /**
   * Sends a reply to the contact, within 24 hours after the contact's last message. For results and
   * errors, see `templates.send`.
   *
   * ```ts
   * await crm.conversations.reply(conversation.id, { text: "We open at nine." });
   * ```
   */
  reply(id: string, reply: Reply, options?: SendOptions): APIPromise<SendResult>;
}

/** A free reply to the contact of a conversation. */
export type Reply = Omit<api.ReplyRequest, "conversation_id">;

/** The messages of all conversations. */
export interface Messages
  extends Gets<api.Message>, Changes<api.Message, api.ListMessageChangesQuery> {
  /**
   * Returns the file that the contact sent, as a stream. The result is `null` if `ifNoneMatch`
   * contains the file's SHA-256.
   *
   * ```ts
   * const { stream, type } = await crm.messages.media(message.id);
   * const text = await transcribe(stream, type);
   * ```
   */
  media(id: string, options: ReadOptions & { ifNoneMatch: string }): APIPromise<File | null>;
  media(id: string, options?: RequestOptions): APIPromise<File>;
  /**
   * Marks a message and all earlier messages as read, which the contact can see. With `typing`, the
   * contact also sees that someone is typing.
   *
   * ```ts
   * await crm.messages.markRead(message.id, { typing: true });
   * ```
   */
  markRead(
    id: string,
    how?: { typing?: boolean },
    options?: RequestOptions,
  ): APIPromise<api.MessageRead>;
  /**
   * Reacts to a message with an emoji. The emoji replaces your company's earlier reaction.
   *
   * ```ts
   * await crm.messages.react(message.id, "👍");
   * ```
   */
  react(id: string, emoji: string, options?: RequestOptions): APIPromise<api.ReactedMessage>;
  /** Removes your company's reaction from a message. */
  unreact(id: string, options?: RequestOptions): APIPromise<void>;
}

/** The properties of a file to upload. */
export interface FileToUpload {
  /** The content type, such as `application/pdf`. */
  type: string;
  /** The file name that the recipient of a document sees. */
  filename?: string;
  /**
   * The business phone number that will send the file. Required if the company has several numbers.
   */
  phone_number_id?: string;
}

/** Files that your company sends. */
export interface Media {
  /**
   * Uploads a file. Use the id in the response as `media.id` in a reply, or as `header_media.id` in
   * a template send. If the response is lost, the client uploads the file again. A stream is
   * uploaded only once.
   *
   * ```ts
   * const invoice = await crm.media.upload(bytes, { type: "application/pdf", filename: "invoice.pdf" });
   * ```
   */
  upload(
    file: Blob | BufferSource | ReadableStream<Uint8Array>,
    about: FileToUpload,
    options?: RequestOptions,
  ): APIPromise<api.MediaUpload>;
  /** Returns the details of an upload. */
  get(id: string, options?: RequestOptions): APIPromise<api.MediaUpload>;
}

/** The templates of your company's WhatsApp accounts. */
export interface Templates extends Lists<api.Template, api.ListTemplatesQuery>, Gets<api.Template> {
  /** Reports what a send would do. Nothing is sent. */
  send(
    message: api.SendRequest,
    options: SendOptions & { dryRun: true },
  ): APIPromise<api.DryRun>;
  /**
   * Sends a template to a phone number, at most once. The client repeats the request with the same
   * key until the outcome is known. Returns when the channel has the message (`success: true`), or
   * when the contact must not receive the message (`success: false`, `reason`). Throws an error if
   * the send failed or its outcome is still unknown.
   */
  send(message: api.SendRequest, options?: SendOptions): APIPromise<SendResult>;
}

/** The outcomes of template sends and replies. A send has the same id as its message. */
export interface Sends extends Lists<api.Send, api.ListSendsQuery>, Gets<api.Send> {
  /** Finds a send by its idempotency key. Returns `null` if there is no such send. */
  find<Field extends keyof api.Send = keyof api.Send>(
    idempotencyKey: string,
    query?: FieldChoice<Field>,
    options?: RequestOptions,
  ): APIPromise<Chosen<api.Send, Field> | null>;
}

/** The events about your company's records in the last 30 days. */
export interface Events {
  /** Lists the events, oldest first. A loop over the list reads all pages up to the present. */
  list(query?: api.ListEventsQuery, options?: RequestOptions): List<api.Event>;
  get(id: string, options?: RequestOptions): APIPromise<api.Event>;
}

/**
 * Your URLs that receive your company's events. `verifyWebhook` from
 * `@crm-messaging/client/webhooks` verifies the deliveries.
 */
export interface Webhooks {
  /** Lists all of your company's webhooks. */
  list(query?: Record<string, never>, options?: RequestOptions): List<api.Webhook>;
  get(
    id: string,
    query?: Record<string, never>,
    options?: RequestOptions,
  ): APIPromise<api.Webhook>;
  /**
   * Creates a webhook. Only this response and the response of `rotateSecret` contain its `secret`.
   */
  create(webhook: api.NewWebhook, options?: CreateOptions): APIPromise<api.WebhookWithSecret>;
  /**
   * Changes a webhook. `{ state: "paused" }` pauses the webhook, and `{ state: "on" }` switches it
   * on.
   */
  update(
    id: string,
    changes: api.WebhookChanges,
    options?: RequestOptions,
  ): APIPromise<api.Webhook>;
  delete(id: string, options?: RequestOptions): APIPromise<void>;
  /**
   * Creates a new secret. For `overlap_hours` hours, deliveries are also signed with the previous
   * secret.
   */
  rotateSecret(
    id: string,
    rotation: api.SecretRotation,
    options?: CreateOptions,
  ): APIPromise<api.WebhookWithSecret>;
  /** Delivers a `webhook.test` event. */
  test(id: string, options?: CreateOptions): APIPromise<api.QueuedEvent>;
  /** Lists the deliveries that arrived, failed or are still pending, newest first. */
  deliveries(
    id: string,
    query?: api.ListWebhookDeliveriesQuery,
    options?: RequestOptions,
  ): List<api.Delivery>;
  /** Redelivers one event. */
  redeliver(
    id: string,
    event_id: string,
    options?: CreateOptions,
  ): APIPromise<api.QueuedEvent>;
  /** Redelivers all events since a given time. */
  replay(id: string, replay: api.Replay, options?: CreateOptions): APIPromise<api.Replaying>;
}

/** Your company's teams. */
export interface Teams extends Lists<api.Team, api.ListTeamsQuery>, Gets<api.Team> {}

/** The people who work in your company. */
export interface Members extends Lists<api.Member, api.ListMembersQuery>, Gets<api.Member> {}

/** A record that the search found. */
export type Found = api.FoundContact | api.FoundDeal | api.FoundConversation;
