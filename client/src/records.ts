import type { APIPromise } from "./answer.ts";
import type {
  ChangeOptions,
  CreateManyOptions,
  CreateOptions,
  ManyOptions,
  ReadOptions,
  RequestOptions,
} from "./options.ts";
import type { List } from "./pages.ts";
import type { BatchItemError, BatchSummary, DeletedRow, OneOrMore } from "./types.ts";

/** A record with the requested fields. Without `fields`, the record has all fields. */
export type Chosen<Row, Field extends keyof Row> = [keyof Row] extends [Field] ? Row
  : Pick<Row, Field>;

/** A record with the related records that `include` adds. */
export type With<Row, Included, Name extends keyof Included> = [Name] extends [never] ? Row
  : Row & Pick<Included, Name>;

/**
 * The fields that each record in the response has. If this option is missing, a record has all
 * fields.
 */
export interface FieldChoice<Field> {
  fields?: OneOrMore<Field> | undefined;
}

/** The related records to add to each record in the response. */
export interface IncludeChoice<Name> {
  include?: OneOrMore<Name> | undefined;
}

/** The `list` method for records. */
export interface Lists<Row, Query> {
  /** Lists records, page by page. */
  list<Field extends keyof Row = keyof Row>(
    query?: Query & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<Row, Field>>;
}

/** The `list` method for records that have related records. */
export interface ListsWith<Row, Included, Query> {
  /** Lists records, page by page. */
  list<Field extends keyof Row = keyof Row, Name extends keyof Included = never>(
    query?: Query & FieldChoice<Field> & IncludeChoice<Name>,
    options?: RequestOptions,
  ): List<With<Chosen<Row, Field>, Included, Name>>;
}

/** The `get` method for a record. */
export interface Gets<Row, Query = unknown> {
  /**
   * Returns one record. The result is `null` only if the request has `ifNoneMatch` and the record
   * is unchanged.
   */
  get<Field extends keyof Row = keyof Row>(
    id: string,
    query: Query & FieldChoice<Field> | undefined,
    options: ReadOptions & { ifNoneMatch: string },
  ): APIPromise<Chosen<Row, Field> | null>;
  get<Field extends keyof Row = keyof Row>(
    id: string,
    query?: Query & FieldChoice<Field>,
    options?: RequestOptions,
  ): APIPromise<Chosen<Row, Field>>;
}

/** The `get` method for a record that has related records. */
export interface GetsWith<Row, Included, Query = unknown> {
  /**
   * Returns one record. The result is `null` only if the request has `ifNoneMatch` and the record
   * is unchanged.
   */
  get<Field extends keyof Row = keyof Row, Name extends keyof Included = never>(
    id: string,
    query: Query & FieldChoice<Field> & IncludeChoice<Name> | undefined,
    options: ReadOptions & { ifNoneMatch: string },
  ): APIPromise<With<Chosen<Row, Field>, Included, Name> | null>;
  get<Field extends keyof Row = keyof Row, Name extends keyof Included = never>(
    id: string,
    query?: Query & FieldChoice<Field> & IncludeChoice<Name>,
    options?: RequestOptions,
  ): APIPromise<With<Chosen<Row, Field>, Included, Name>>;
}

/** The `changes` method for records. */
export interface Changes<Row, Query> {
  /**
   * Lists every record that was created, changed or deleted after the cursor. The list ends when
   * your copy is up to date.
   */
  changes<Field extends keyof Row = keyof Row>(
    query?: Query & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<Row, Field> | DeletedRow>;
}

/** The `create` and `update` methods for a record. */
export interface Writes<Row, New, Changed> {
  create(record: New, options?: CreateOptions): APIPromise<Row>;
  /**
   * `changes` is a JSON merge patch. A field that is left out keeps its value, and `null` clears a
   * field.
   */
  update(id: string, changes: Changed, options?: ChangeOptions): APIPromise<Row>;
}

/** The `archive` method for a record. */
export interface Archives {
  archive(id: string, options?: ChangeOptions): APIPromise<void>;
}

/** The `restore` method for an archived record. */
export interface Restores<Row> {
  restore(id: string, options?: CreateOptions): APIPromise<Row>;
}

/** The result of one batch item: `data`, or `error` with the reason. */
export type BatchItem<Row> =
  | { index: number; status: 200 | 201; data: Row; error?: undefined }
  | { index: number; status: 404 | 409 | 422; error: BatchItemError; data?: undefined };

/**
 * The result of a batch: one result for each item, in the order of the items, and the number of
 * items with each kind of result.
 */
export interface BatchAnswer<Row> {
  data: BatchItem<Row>[];
  summary: BatchSummary;
}

/**
 * The methods that write many records. The client sends the items in batches of at most 500, one
 * batch after the other. If a batch fails, the error's `done` contains the responses to the earlier
 * batches.
 */
export interface Batches<Row, New, Changed, NewQuery, ChangedQuery> {
  /**
   * Each item is checked separately. `summary.failed` is the number of items that failed. If there
   * are several batches, the first batch uses `idempotencyKey` as its key, and the second batch
   * uses `<key>-1`.
   *
   * ```ts
   * const { summary } = await crm.contacts.createMany(people, { on_conflict: "update" }, {
   *   onProgress: ({ done, total }) => console.log(`${done} of ${total}`),
   * });
   * ```
   */
  createMany(
    items: readonly New[],
    query?: NewQuery,
    options?: CreateManyOptions,
  ): APIPromise<BatchAnswer<Row>>;
  /** Each item contains the `id` of its record. The API checks each item separately. */
  updateMany(
    items: readonly Changed[],
    query?: ChangedQuery,
    options?: ManyOptions,
  ): APIPromise<BatchAnswer<Row>>;
}
