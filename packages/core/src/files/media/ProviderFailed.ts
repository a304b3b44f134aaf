import { Schema } from "effect"

/** The try of a command or an endpoint that the operator has set, such as a transcriber, produced no text. */
export class ProviderFailed extends Schema.TaggedError<ProviderFailed>()("ProviderFailed", {
  /** For the log. Contains no secret. */
  reason: Schema.String,
  /**
   * Shown to users who see the recording. The problem of an endpoint contains neither its address nor its text. That of a command is the
   * reason, with the end of the command's error output.
   */
  problem: Schema.String,
  /** True if another try may succeed. */
  again: Schema.Boolean
}) {
  override get message() {
    return this.reason
  }
}
