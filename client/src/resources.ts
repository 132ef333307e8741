import type { APIPromise } from "./answer.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, SendOptions } from "./options.ts";
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

/** What `include` adds to a deal. */
export type DealIncluded = Required<Pick<api.DealWithIncluded, "contact" | "stage">>;
/** What `include` adds to a pipeline. */
export type PipelineIncluded = Required<Pick<api.PipelineWithIncluded, "stages">>;
/** What `include` adds to a conversation. */
export type ConversationIncluded = Required<Pick<api.ConversationWithIncluded, "contact">>;
/** A contact that a batch wrote. Where all together would be too large, it comes without `custom_fields`. */
export type WrittenContact = api.Contact | api.ContactWithoutCustomFields;

/** The people of your company. */
export interface Contacts
  extends
    Lists<api.Contact, api.ListContactsQuery>,
    Gets<api.ContactById, api.GetContactQuery>,
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
  /** Creates the contact of this phone, or updates the one that has it, in any spelling. */
  put(
    contact: api.ContactToPut,
    query?: api.PutContactQuery,
    options?: ChangeOptions,
  ): APIPromise<api.Contact>;
  /** Takes over everything of `from`, whose id leads to this contact then. It cannot be undone. */
  merge(
    id: string,
    body: api.Merging,
    options?: CreateOptions & ChangeOptions,
  ): APIPromise<api.Contact>;
  /** All that is held on the person. */
  export(id: string, options?: RequestOptions): APIPromise<api.ContactExport>;
  /** Erases the person for good. `confirm` is the id once more. */
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
  /** The moves of a deal, newest first. */
  history<Field extends keyof api.DealHistoryEntry = keyof api.DealHistoryEntry>(
    id: string,
    query?: api.ListDealHistoryQuery & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<api.DealHistoryEntry, Field>>;
}

/** Rows of stages that deals go through. */
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
  /** `move_deals_to` names the stage for its deals, when it has some. */
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
  /** Asks what a reply would do. */
  reply(id: string, reply: Reply, options: SendOptions & { dryRun: true }): APIPromise<api.DryRun>;
  /** Answers the person within the 24 hours after a message. See `templates.send` for what it answers and throws. */
  reply(id: string, reply: Reply, options?: SendOptions): APIPromise<SendResult>;
}

/** A free text to the person of a conversation. */
export type Reply = Omit<api.ReplyRequest, "conversation_id">;

/** Messages of all conversations. */
export interface Messages
  extends Gets<api.Message>, Changes<api.Message, api.ListMessageChangesQuery> {}

/** What the channel has approved to be sent. */
export interface Templates extends Lists<api.Template, api.ListTemplatesQuery>, Gets<api.Template> {
  /** Asks what a send would do. */
  send(
    message: api.SendRequest,
    options: SendOptions & { dryRun: true },
  ): APIPromise<api.DryRun>;
  /**
   * Sends a template to a phone, once. It keeps one key over all attempts, and asks again until what became of the send
   * is known. It answers when the channel has the message (`success: true`), or when the person must not get it
   * (`success: false`, `reason`); it throws when the send failed or is not known to have succeeded.
   */
  send(message: api.SendRequest, options?: SendOptions): APIPromise<SendResult>;
}

/** What became of template sends and replies. */
export interface Sends {
  /** By the `message_id` of its answer. */
  get: Gets<api.Send>["get"];
  /** By its idempotency key; `null` when there is no such send. */
  find<Field extends keyof api.Send = keyof api.Send>(
    idempotencyKey: string,
    query?: FieldChoice<Field>,
    options?: RequestOptions,
  ): APIPromise<Chosen<api.Send, Field> | null>;
}

/** The teams of your company. */
export interface Teams extends Lists<api.Team, api.ListTeamsQuery>, Gets<api.Team> {}

/** The people who work in your company. */
export interface Members extends Lists<api.Member, api.ListMembersQuery>, Gets<api.Member> {}

/** A record that the search found. */
export type Found = api.FoundContact | api.FoundDeal | api.FoundConversation;
