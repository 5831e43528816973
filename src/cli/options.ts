import { InvalidArgumentError, Option } from "commander";
import { createTerminal, type Terminal } from "./terminal.ts";

/** Reads `--var name=value`, several times. */
export const collectVariable = (
  text: string,
  variables: Readonly<Record<string, string>>,
): Record<string, string> => {
  const at = text.indexOf("=");
  const name = text.slice(0, at);
  if (at < 1 || !/^[A-Za-z_][\w.-]{0,99}$/.test(name)) {
    throw new InvalidArgumentError("Write it as name=value.");
  }
  return { ...variables, [name]: text.slice(at + 1) };
};

/** An http or https address, as an option's value. */
export const webAddress = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("Write it as http(s)://host.");
};

/** A TCP port, as an option's value. */
export const portNumber = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("Write a number from 0 to 65535.");
};

/** Where a command writes: for people, or with --json for machines. */
export const terminalFor = (json: boolean): Terminal =>
  createTerminal({ json, output: process.stdout, environment: process.env });

/** Ends when Ctrl-C is pressed or the process is asked to end. */
export const stopSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
};

/** Which Chromium to use; the environment says it too. */
export const browserOption = () =>
  new Option("--browser <path>", "the Chromium or Chrome to use").env("BROWSER_PATH_CHROMIUM");

/** A whole number of at least one, as an option's value. */
export const countNumber = (text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a whole number from 1.");
};

/** Reads an option that may be given several times. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [
  ...before,
  text,
];
