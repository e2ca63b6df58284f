/** What is wrong with the audit log. */
export type Problem =
  /** A block is not what its hash says. */
  | 'block changed'
  /** The sequence of a stream has a gap, or does not begin with its first block. */
  | 'block missing'
  /** A stream has two blocks of one number. */
  | 'block twice'
  /** A block does not follow the one before it. */
  | 'block not chained'
  /** A block was not inserted by the role of its service. */
  | 'block of another role'
  /** The content of a block was not written by the process of its stream. */
  | 'block not opened'
  /** There are blocks of a stream that does not exist. */
  | 'stream missing'
  /** The row of a stream is not the one of its blocks. */
  | 'stream changed'
  | 'checkpoint changed'
  | 'checkpoint missing'
  | 'checkpoint not chained'
  | 'checkpoint not signed'
  /** A block that a checkpoint has signed is missing, as after a truncation. */
  | 'signed block missing'
  /** A block is another one than the one that a checkpoint has signed. */
  | 'signed block changed'
  /** A partition was dropped, and no checkpoint has signed its retirement. */
  | 'retirement not signed'
  /** A row says that a partition was dropped, and no checkpoint proves that its blocks were beyond their retention. */
  | 'retirement not proven'
  /** A checkpoint that the anchor file has is missing. */
  | 'anchored checkpoint missing'
  | 'anchored checkpoint changed'
  /** A policy, rule, trigger, function, column, constraint or privilege is not the one of this version. */
  | 'schema changed';

/** One problem, and where it is. */
export interface Finding {
  problem: Problem;
  streamId?: string;
  sequence?: number;
  /** The number of a checkpoint. */
  checkpoint?: number;
  partition?: string;
  /** Of the schema, and its table. */
  object?: string;
  /** The time of the block or checkpoint, or of the last one before the problem, in epoch milliseconds. */
  at?: number;
}
