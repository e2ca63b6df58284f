/** What was asked for could not be had, however often it was tried. The message goes on "the health system …". */
export class HealthSystemUnreachable extends Error {
  /**
   * @param status of the last answer; 0 when there was none
   * @param lasting trying again later is of no use
   * @param retryAfterMs the pause that it asked for
   */
  constructor(
    readonly status: number,
    message: string,
    readonly lasting = false,
    readonly retryAfterMs?: number,
  ) {
    super(message);
    this.name = 'HealthSystemUnreachable';
  }
}

/** Nothing was sent: the address, or one that its name leads to, is not https or not public. */
export class AddressForbidden extends HealthSystemUnreachable {
  constructor() {
    super(0, 'has an address that must not be called: only https and public ones may be', true);
    this.name = 'AddressForbidden';
  }
}

/** The answer is larger than what is read. */
export class AnswerTooLarge extends HealthSystemUnreachable {
  constructor(mostBytes: number) {
    super(0, `sends more than ${Math.floor(mostBytes / 1_000_000)} MB`, true);
    this.name = 'AnswerTooLarge';
  }
}

/** An answer came, and is not what was asked for. The message quotes nothing of it. */
export class UnreadableAnswer extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'UnreadableAnswer';
  }
}

/** There is no memory for the rest of an answer now. The request is to be made again with a larger reservation; it does not count as failed. */
export class AnswerCutOff extends Error {
  /** @param needs how many bytes to reserve */
  constructor(readonly needs: number) {
    super('there is no memory for the rest of an answer');
    this.name = 'AnswerCutOff';
  }
}
