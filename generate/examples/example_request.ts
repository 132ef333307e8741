/** A request that is recorded with its response, as an example. */
export interface ExampleRequest {
  name: string;
  summary: string;
  /** The values of the path parameters. */
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** The request body, for an operation that uploads a file. */
  file?: string;
  /** The content type of the body. The default is application/json. */
  contentType?: string;
  ifMatch?: string;
  /** The header with the API key. By default, the request has the demo company's key. */
  key?: Record<string, string>;
}
