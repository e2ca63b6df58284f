import { Worker, type WorkerOptions } from 'node:worker_threads';
import { ClientGoneError, PartialWorkError } from '@tributary/service-kit';
import { Semaphore, withTimeout } from 'async-mutex';
import type { Logger } from 'pino';
import { PartialBundleError } from '../bundles/partial-bundle-error';
import { FhirError } from '../fhir-http/fhir-error';
import type { FhirResponse, NativeBody } from '../fhir-http/fhir-response';
import {
  type FromThread,
  type ThreadFailure,
  type ThreadRequest,
  type ThreadResponse,
  type ToThread,
  bufferOf,
  movable,
} from './messages';
import { UserTurns } from './user-turns';

/** A request in the thread. */
interface Running {
  readonly isSafe: boolean;
  readonly countEntries: (routes: readonly string[]) => Promise<void>;
  resolve(response: FhirResponse): void;
  reject(error: unknown): void;
  /** The error of `countEntries`. */
  refusal?: unknown;
}

export interface LongWorkThreadOptions {
  readonly log: Logger;
  /** By default the thread reads its configuration from the environment variables of this process. */
  readonly worker?: Pick<WorkerOptions, 'env' | 'execArgv'>;
}

export interface ThreadCaller {
  /** Reads the body. */
  bytes(): Promise<Buffer>;
  countEntries(routes: readonly string[]): Promise<void>;
  /** Is aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Requests in the thread at a time: each can need a hundred MB and more. */
const maxRunning = 4;
/** Bundles among them: each can have thousands of entries. */
const maxBundles = 2;
/** How long a request waits for others, in milliseconds. */
const maxWaitMs = 30_000;
/**
 * Requests of one user. Those with a body wait before it is read. The others have turns of their own, so that slow
 * uploads do not delay them.
 */
const maxOfUser = 2;
/** When the thread is started again after a crash, unless a request needs it before, in milliseconds. */
const restartAfterMs = 5000;
/** The heap of the thread, in MB. Beyond it the thread ends, and not the process. */
const maxHeapMb = 512;

/**
 * A thread of this process that carries out requests whose work can take long without a pause, because it grows with a
 * body or a resource that the client chooses: parsing, validating, indexing and patching. It also does the maintenance
 * of records. The main thread goes on to serve all other requests meanwhile. The thread is a replica of the service
 * without a network address: it has its own connections to the database and its own keys. After a crash it starts
 * again.
 */
export class LongWorkThread {
  readonly #running = new Map<number, Running>();
  readonly #slots = withTimeout(new Semaphore(maxRunning), maxWaitMs, unavailable());
  readonly #bundles = withTimeout(new Semaphore(maxBundles), maxWaitMs, unavailable());
  readonly #turnsWithBody = new UserTurns(maxOfUser);
  readonly #turnsWithoutBody = new UserTurns(maxOfUser);
  #worker: Worker | undefined;
  #hasStarted = false;
  #isStopping = false;
  #restart: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(private readonly options: LongWorkThreadOptions) {}

  /**
   * Carries out a request.
   * @throws FhirError or PartialBundleError as the route does, FhirError 429 or 503 when others take too long,
   * ClientGoneError, and PartialWorkError when the thread has crashed and may have carried out the request
   */
  run(request: Omit<ThreadRequest, 'content'>, caller: ThreadCaller): Promise<FhirResponse> {
    const turns = request.hasBody ? this.#turnsWithBody : this.#turnsWithoutBody;
    const isBundle = request.method === 'POST' && request.segments.length === 0;
    return turns.run(request.serviceUserId, async () => {
      caller.signal.throwIfAborted();
      const content = await caller.bytes();
      const work = (): Promise<FhirResponse> =>
        this.#slots.runExclusive(() => this.#carryOut({ ...request, content }, caller));
      return isBundle ? this.#bundles.runExclusive(work) : work();
    });
  }

  /** Starts the thread before the first request needs it. */
  start(): void {
    this.#worker ??= this.#start();
  }

  /** Ends the thread, after the last request. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (!worker) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    post(worker, { kind: 'stop' });
    await ended;
  }

  async #carryOut(request: ThreadRequest, { countEntries, signal }: ThreadCaller): Promise<FhirResponse> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const worker = (this.#worker ??= this.#start());
    const cancel = (): void => post(worker, { kind: 'cancel', id });
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await new Promise<FhirResponse>((resolve, reject) => {
        this.#running.set(id, { isSafe: request.isSafe, countEntries, resolve, reject });
        post(worker, { kind: 'run', id, request }, movable(request.content));
      });
    } catch (error) {
      // What a Bundle has written is recorded, whether the client waits or not.
      throw signal.aborted && !(error instanceof PartialWorkError) ? new ClientGoneError() : error;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#running.delete(id);
    }
  }

  #start(): Worker {
    this.#hasStarted = false;
    const worker = new Worker(require.resolve('./thread'), {
      ...this.options.worker,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    worker.on('message', (message: FromThread) => this.#receive(worker, message));
    // A message that was lost would never be answered.
    worker.on('messageerror', () => void worker.terminate());
    worker.on('error', (error) => {
      const { name, message } = error instanceof Error ? error : new Error('unknown reason');
      this.options.log.error({ err: { type: name, message } }, 'the thread of long work failed');
    });
    worker.once('exit', () => this.#end(worker));
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if (message.kind === 'started') {
      this.#hasStarted = true;
      return;
    }
    const { id } = message;
    const running = this.#running.get(id);
    if (!running) return;
    switch (message.kind) {
      case 'responded':
        return running.resolve(fhirResponse(message.response));
      case 'failed':
        return running.reject(running.refusal ?? thrownBy(message.failure));
      case 'count':
        running.countEntries(message.routes).then(
          () => post(worker, { kind: 'counted', id, areAllowed: true }),
          (error: unknown) => {
            running.refusal = error;
            post(worker, { kind: 'counted', id, areAllowed: false });
          },
        );
    }
  }

  /** Whether a thread that has started has carried out its requests is not known. */
  #end(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    if (!this.#isStopping) this.#restart = setTimeout(() => this.start(), restartAfterMs).unref();
    for (const { isSafe, reject } of this.#running.values())
      reject(isSafe || !this.#hasStarted ? unavailable() : new PartialWorkError(unavailable()));
  }
}

function post(worker: Worker, message: ToThread, transferred: readonly ArrayBuffer[] = []): void {
  worker.postMessage(message, transferred);
}

function unavailable(): FhirError {
  return new FhirError(503, 'the service is busy with requests that take long; try again shortly', 'transient', {
    'Retry-After': '2',
  });
}

function fhirResponse({ body, native, ...response }: ThreadResponse): FhirResponse {
  return {
    ...response,
    body: typeof body === 'object' ? bufferOf(body) : body,
    ...(native ? { native: nativeOf(native) } : {}),
  };
}

function nativeOf({ content, ...described }: NonNullable<ThreadResponse['native']>): NativeBody {
  const bytes = bufferOf(content);
  return { ...described, length: bytes.length, bytes: (start, end) => [bytes.subarray(start, end)] };
}

function thrownBy({ status, issues, headers, partial }: ThreadFailure): Error {
  const error = new FhirError(status, issues, undefined, headers);
  return partial ? new PartialBundleError(error, partial) : error;
}
