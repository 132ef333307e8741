/** A failure that the operator can fix. The error message explains what happened and what to do. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
