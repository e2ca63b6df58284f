/** A bigint column whose values are safe integers; the driver reads a bigint as text. */
export const bigintColumn = {
  type: 'bigint',
  transformer: { from: (text: string | null) => (text === null ? null : Number(text)), to: (value: unknown) => value },
} as const;
