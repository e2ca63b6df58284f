import { Query, type QueryArrayConfig, type QueryArrayResult } from 'pg';

/** The part of pg's connection that a query sends its messages with. */
interface MessageSender {
  describe(portal: unknown): void;
}

/** The columns of a result, as pg keeps them: their descriptions, and a parser for each. */
interface Columns {
  fields: unknown[];
  _parsers: unknown[] | undefined;
}

/** What the types of pg do not declare of `Query`. */
interface QueryInternals {
  readonly name?: string;
  readonly _result: Columns;
  _accumulateRows: boolean;
  prepare(connection: MessageSender): void;
  handleRowDescription(message: unknown): void;
  hasBeenParsed(connection: MessageSender): boolean;
}

const superclass = Query.prototype as unknown as QueryInternals;

/** The columns of the statements that are prepared on one connection, by the name of the statement. */
export class DescribedStatements {
  readonly #columns = new Map<string, Columns>();
  readonly #silent = new WeakMap<MessageSender, MessageSender>();

  of(name: string | undefined): Columns | undefined {
    return name === undefined ? undefined : this.#columns.get(name);
  }

  add(name: string | undefined, { fields, _parsers }: Columns): void {
    if (name !== undefined) this.#columns.set(name, { fields, _parsers });
  }

  /** The same connection, which leaves Describe messages out. */
  withoutDescribe(connection: MessageSender): MessageSender {
    let silent = this.#silent.get(connection);
    if (!silent) {
      silent = Object.assign(Object.create(connection) as MessageSender, { describe: () => undefined });
      this.#silent.set(connection, silent);
    }
    return silent;
  }
}

type Callback<Row extends unknown[]> = (error: Error | null, result: QueryArrayResult<Row>) => void;

/**
 * The execution of a statement on a connection that remembers the columns of prepared statements. pg has them described
 * by every execution, which takes longer than the rest of reading a small result. PostgreSQL refuses to execute a
 * prepared statement whose columns have changed, so those of the first execution are right.
 */
export class RepeatedQuery<Row extends unknown[]> extends Query {
  constructor(
    config: QueryArrayConfig,
    private readonly described: DescribedStatements,
    callback: Callback<Row>,
  ) {
    // The types of pg leave out the third parameter.
    super(...([config, undefined, callback] as unknown as [QueryArrayConfig]));
  }

  prepare(connection: MessageSender): void {
    const query = this as unknown as QueryInternals;
    const columns = query.hasBeenParsed(connection) ? this.described.of(query.name) : undefined;
    if (!columns) {
      superclass.prepare.call(this, connection);
      return;
    }
    Object.assign(query._result, columns);
    query._accumulateRows = true;
    superclass.prepare.call(this, this.described.withoutDescribe(connection));
  }

  handleRowDescription(message: unknown): void {
    superclass.handleRowDescription.call(this, message);
    const { name, _result } = this as unknown as QueryInternals;
    this.described.add(name, _result);
  }
}
