import { InvalidArgumentError } from "commander";

/** Reads the value of a `--port` option; 0 means any free port. */
export function portUpTo(max: number): (value: string) => number {
  return (value) => {
    if (/^[0-9]{1,5}$/.test(value) && Number(value) <= max) return Number(value);
    throw new InvalidArgumentError(`It must be a number from 0 (any free port) to ${max}.`);
  };
}
