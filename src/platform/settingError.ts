/** A setting makes the service unable to start. The message names the setting and holds no secret. */
export class SettingError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "SettingError";
  }
}
