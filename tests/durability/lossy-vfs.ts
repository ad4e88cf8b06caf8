import type { LossyDisk } from './lossy-disk.ts';
import { sqlite3 } from './wasm-sqlite.ts';

/**
 * SQLite's file layer over a lossy disk. It promises what a local disk does under SQLite's own Unix layer:
 * a sector that is overwritten does not damage its neighbours. It offers no shared memory.
 */

export const VFS_NAME = 'lossy';

const { capi, wasm } = sqlite3;
const JOURNALS = capi.SQLITE_OPEN_WAL | capi.SQLITE_OPEN_MAIN_JOURNAL | capi.SQLITE_OPEN_SUPER_JOURNAL;
const opened = new Map<number, OpenFile>();
let mounted: LossyDisk | undefined;

interface OpenFile {
  readonly disk: LossyDisk;
  readonly name: string;
  /** The Unix layer syncs the folder too, when it first syncs a journal that it may have created. */
  folderUnsynced: boolean;
}

/** The disk that files are opened on from now on. */
export function mount(disk: LossyDisk): void {
  mounted = disk;
}

function onFile(
  pointer: number,
  failure: number,
  work: (disk: LossyDisk, name: string, file: OpenFile) => number,
): number {
  const file = opened.get(pointer);
  if (file === undefined) return failure;
  try {
    return work(file.disk, file.name, file);
  } catch {
    return failure;
  }
}

const fileMethods = {
  xClose(pointer: number) {
    opened.delete(pointer);
    return 0;
  },
  xRead: (pointer: number, target: number, length: number, at: bigint) =>
    onFile(pointer, capi.SQLITE_IOERR_READ, (disk, name) => {
      const into = wasm.heap8u().subarray(target, target + length);
      const found = disk.read(name, Number(at), into);
      into.fill(0, found);
      return found === length ? 0 : capi.SQLITE_IOERR_SHORT_READ;
    }),
  xWrite: (pointer: number, source: number, length: number, at: bigint) =>
    onFile(pointer, capi.SQLITE_IOERR_WRITE, (disk, name) => {
      disk.write(name, Number(at), wasm.heap8u().subarray(source, source + length));
      return 0;
    }),
  xTruncate: (pointer: number, size: bigint) =>
    onFile(pointer, capi.SQLITE_IOERR_TRUNCATE, (disk, name) => {
      disk.truncate(name, Number(size));
      return 0;
    }),
  xSync: (pointer: number) =>
    onFile(pointer, capi.SQLITE_IOERR_FSYNC, (disk, name, file) => {
      disk.sync(name);
      if (file.folderUnsynced) disk.syncFolder();
      file.folderUnsynced = false;
      return 0;
    }),
  xFileSize: (pointer: number, target: number) =>
    onFile(pointer, capi.SQLITE_IOERR_FSTAT, (disk, name) => {
      wasm.poke64(target, BigInt(disk.size(name)));
      return 0;
    }),
  xLock: () => 0,
  xUnlock: () => 0,
  xCheckReservedLock(_pointer: number, target: number) {
    wasm.poke32(target, 0);
    return 0;
  },
  xFileControl: () => capi.SQLITE_NOTFOUND,
  xSectorSize: () => 4096,
  xDeviceCharacteristics: () => capi.SQLITE_IOCAP_POWERSAFE_OVERWRITE,
};

const diskMethods = {
  xOpen(_vfs: number, nameAt: number, pointer: number, flags: number, flagsOut: number) {
    const name = wasm.cstrToJs(nameAt);
    if (mounted === undefined || name === null) return capi.SQLITE_CANTOPEN;
    mounted.create(name);
    opened.set(pointer, { disk: mounted, name, folderUnsynced: (flags & JOURNALS) !== 0 });
    const file = new capi.sqlite3_file(pointer);
    file.$pMethods = ioMethods.pointer;
    file.dispose();
    if (flagsOut !== 0) wasm.poke32(flagsOut, flags);
    return 0;
  },
  xDelete(_vfs: number, nameAt: number, syncFolder: number) {
    try {
      mounted?.remove(wasm.cstrToJs(nameAt) ?? '');
      if (syncFolder !== 0) mounted?.syncFolder();
      return 0;
    } catch {
      return capi.SQLITE_IOERR_DELETE;
    }
  },
  xAccess(_vfs: number, nameAt: number, _flags: number, target: number) {
    wasm.poke32(target, mounted?.exists(wasm.cstrToJs(nameAt) ?? '') ? 1 : 0);
    return 0;
  },
  xFullPathname: (_vfs: number, nameAt: number, length: number, target: number) =>
    wasm.cstrncpy(target, nameAt, length) < length ? 0 : capi.SQLITE_CANTOPEN,
  xGetLastError: () => 0,
};

const ioMethods = new capi.sqlite3_io_methods();
ioMethods.$iVersion = 1;

const vfs = new capi.sqlite3_vfs();
const usual = new capi.sqlite3_vfs(capi.sqlite3_vfs_find(null));
vfs.$iVersion = 1;
vfs.$szOsFile = capi.sqlite3_file.structInfo.sizeof;
vfs.$mxPathname = 256;
vfs.$xRandomness = usual.$xRandomness;
vfs.$xSleep = usual.$xSleep;
vfs.$xCurrentTime = usual.$xCurrentTime;

sqlite3.vfs.installVfs({
  io: { struct: ioMethods, methods: fileMethods },
  vfs: { struct: vfs, name: VFS_NAME, methods: diskMethods },
});
