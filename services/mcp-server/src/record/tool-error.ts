/**
 * A failure of a tool, whose message states what the model can do. It names parameters and never has a clinical value.
 */
export class ToolError extends Error {
  override readonly name: string = 'ToolError';
}

/** The resource cannot be converted to R4; it can be read in its native form. */
export class NotConvertible extends ToolError {
  override readonly name = 'NotConvertible';
}
