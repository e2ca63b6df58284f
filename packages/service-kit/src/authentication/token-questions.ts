import { type AuthClient, type Introspection, mostTokensAtOnce } from '@tributary/contracts';

interface Question {
  readonly answer: Promise<Introspection>;
  resolve(answer: Introspection): void;
  reject(error: unknown): void;
}

/** Calls under way at once; what is asked meanwhile goes together in the next. */
const callsAtOnce = 2;

/**
 * Asks auth what tokens stand for, many in one call: a call to another service costs several times what it asks for. A token
 * that is asked about by several at once is asked about once.
 */
export class TokenQuestions {
  readonly #waiting = new Map<string, Question>();
  #underWay = 0;
  #scheduled = false;

  constructor(private readonly auth: Pick<AuthClient, 'introspect'>) {}

  /** @throws InternalCallError when auth does not answer */
  ask(token: string, requestId?: string): Promise<Introspection> {
    const asked = this.#waiting.get(token);
    if (asked) return asked.answer;
    const { promise: answer, resolve, reject } = withResolvers<Introspection>();
    this.#waiting.set(token, { answer, resolve, reject });
    if (!this.#scheduled && this.#underWay < callsAtOnce) {
      this.#scheduled = true;
      // Those that come in the same turn come along.
      setImmediate(() => {
        this.#scheduled = false;
        void this.#send(requestId);
      });
    }
    return answer;
  }

  async #send(requestId?: string): Promise<void> {
    const questions = [...this.#waiting].slice(0, mostTokensAtOnce);
    if (questions.length === 0 || this.#underWay >= callsAtOnce) return;
    for (const [token] of questions) this.#waiting.delete(token);
    this.#underWay++;
    try {
      const answers = await this.auth.introspect(
        questions.map(([token]) => token),
        { requestId },
      );
      for (const [i, [, question]] of questions.entries()) question.resolve(answers[i] as Introspection);
    } catch (error) {
      for (const [, question] of questions) question.reject(error);
    } finally {
      this.#underWay--;
      void this.#send();
    }
  }
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
