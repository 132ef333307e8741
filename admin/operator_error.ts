/** A failure that the operator can act on. The message says what happened and what to do; the command exits with 1. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
