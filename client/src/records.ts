import type { APIPromise } from "./answer.ts";
import type { ChangeOptions, CreateOptions, ReadOptions, RequestOptions } from "./options.ts";
import type { List } from "./pages.ts";
import type { BatchItemError, BatchSummary, DeletedRow, OneOrMore } from "./types.ts";

/** A record with the fields that were asked for: all of them, unless `fields` chose some. */
export type Chosen<Row, Field extends keyof Row> = [keyof Row] extends [Field] ? Row
  : Pick<Row, Field>;

/** A record with the records that `include` added. */
export type With<Row, Included, Name extends keyof Included> = [Name] extends [never] ? Row
  : Row & Pick<Included, Name>;

/** Which fields a record of the answer has; all of them without it. */
export interface FieldChoice<Field> {
  fields?: OneOrMore<Field> | undefined;
}

/** Which records a record of the answer comes with. */
export interface IncludeChoice<Name> {
  include?: OneOrMore<Name> | undefined;
}

/** `list` of records. */
export interface Lists<Row, Query> {
  /** Records, page by page. */
  list<Field extends keyof Row = keyof Row>(
    query?: Query & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<Row, Field>>;
}

/** `list` of records that others belong to. */
export interface ListsWith<Row, Included, Query> {
  /** Records, page by page. */
  list<Field extends keyof Row = keyof Row, Name extends keyof Included = never>(
    query?: Query & FieldChoice<Field> & IncludeChoice<Name>,
    options?: RequestOptions,
  ): List<With<Chosen<Row, Field>, Included, Name>>;
}

/** `get` of a record. */
export interface Gets<Row, Query = unknown> {
  /** One record. `null` only with `ifNoneMatch`, while the record is as it was. */
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

/** `get` of a record that others belong to. */
export interface GetsWith<Row, Included, Query = unknown> {
  /** One record. `null` only with `ifNoneMatch`, while the record is as it was. */
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

/** `changes` of records. */
export interface Changes<Row, Query> {
  /** Every record that was created, changed or deleted since the cursor. It ends when you are in step. */
  changes<Field extends keyof Row = keyof Row>(
    query?: Query & FieldChoice<Field>,
    options?: RequestOptions,
  ): List<Chosen<Row, Field> | DeletedRow>;
}

/** `create` and `update` of a record. */
export interface Writes<Row, New, Changed> {
  create(record: New, options?: CreateOptions): APIPromise<Row>;
  /** A merge patch: a field that is left out keeps its value, `null` clears it. */
  update(id: string, changes: Changed, options?: ChangeOptions): APIPromise<Row>;
}

/** `archive` of a record. */
export interface Archives {
  archive(id: string, options?: ChangeOptions): APIPromise<void>;
}

/** `restore` of an archived record. */
export interface Restores<Row> {
  restore(id: string, options?: CreateOptions): APIPromise<Row>;
}

/** What became of an item of a batch: `data`, or `error` with what is wrong with it. */
export type BatchItem<Row> =
  | { index: number; status: 200 | 201; data: Row; error?: undefined }
  | { index: number; status: 404 | 409 | 422; error: BatchItemError; data?: undefined };

/** What became of a batch: each item, in the order of the items, and how many came to what. */
export interface BatchAnswer<Row> {
  data: BatchItem<Row>[];
  summary: BatchSummary;
}

/** Writes of up to 500 records in one request. */
export interface Batches<Row, New, Changed, NewQuery, ChangedQuery> {
  /** Each item is judged by itself, so look at `summary.failed`. */
  createMany(
    items: readonly New[],
    query?: NewQuery,
    options?: CreateOptions,
  ): APIPromise<BatchAnswer<Row>>;
  /** Each item has the `id` of its record, and is judged by itself. */
  updateMany(
    items: readonly Changed[],
    query?: ChangedQuery,
    options?: RequestOptions,
  ): APIPromise<BatchAnswer<Row>>;
}
