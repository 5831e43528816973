import { InvalidArgumentError, Option } from "commander";
import { createTerminal, type Terminal } from "./terminal.ts";

/** Collects the repeated option `--var name=value`. */
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

/** Parses an http or https URL. */
export const webAddress = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("Write it as http(s)://host.");
};

/** Parses a TCP port. */
export const portNumber = (text: string): number => {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new InvalidArgumentError("Write a number from 0 to 65535.");
};

/** The terminal of a command on standard output. */
export const terminalFor = (json: boolean): Terminal =>
  createTerminal({ json, output: process.stdout, environment: process.env });

/** A signal that is aborted on SIGINT or SIGTERM. */
export const stopSignal = (): AbortSignal => {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
};

/** The option for the Chromium executable. */
export const browserOption = () =>
  new Option("--browser <path>", "executable of Chromium or Chrome").env("BROWSER_PATH_CHROMIUM");

/** Parses a positive integer. */
export const countNumber = (text: string): number => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write a whole number of at least 1.");
};

/** Collects a repeatable option. */
export const collect = (text: string, before: readonly string[]): readonly string[] => [
  ...before,
  text,
];
