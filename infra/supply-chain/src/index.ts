export { findUnconfined } from './containers';
export { findForbiddenFiles } from './image-files';
export { readLockFile } from './lock-file';
