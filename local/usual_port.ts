/** The port of the API on this machine, unless another port is chosen. */
export const USUAL_PORT = 54321;

/** The API's URL on this machine with the default port, as in examples and collections. */
export const LOCAL_API_URL = `http://127.0.0.1:${USUAL_PORT}/functions/v1`;
