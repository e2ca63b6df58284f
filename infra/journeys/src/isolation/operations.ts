import { Json, http } from '../suite/http';

/** An operation of an OpenAPI document. */
export interface Operation {
  operationId: string;
  method: string;
  /** With parameters in braces. */
  path: string;
  /** The names of the security schemes of each alternative; empty when the operation is open to everyone. */
  security: readonly string[];
}

const methods = new Set(['get', 'put', 'post', 'delete', 'patch']);

/** Every operation of the OpenAPI document at this address. */
export async function operationsOf(url: string, headers: Record<string, string> = {}): Promise<Operation[]> {
  const { status, json: document } = await http('GET', url, { headers });
  if (status !== 200) throw new Error(`${url} has no OpenAPI document: ${status}`);
  return Object.entries(document.at('paths') as Record<string, Record<string, unknown>>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, about]) => {
        const operation = new Json(about);
        const own = operation.at('security') === undefined ? document : operation;
        return {
          operationId: operation.text('operationId'),
          method: method.toUpperCase(),
          path,
          security: own.list('security').map((schemes) => Object.keys(schemes as object)[0] ?? ''),
        };
      }),
  );
}
