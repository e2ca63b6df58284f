/** A client_assertion that does not prove who sent it. The message is for the client and holds nothing of the assertion. */
export class AssertionRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'AssertionRefused';
  }
}
