/**
 * Networks of their own on this machine: an internet, and homes behind routers with NAT. Each machine is a network
 * namespace of Linux, so nothing reaches the real network. Making them needs root.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium, firefox, type Page } from '@playwright/test'
import { CHROMIUM, DESKTOP, FIREFOX } from './browsers.ts'

const run = promisify(execFile)

/** The product's ports: of the page over http and https, and of TURN. */
export const PAGE_PORTS = [8080, 8443]
export const TURN_PORTS = ['3478', '5349', '49152-65535']

/**
 * How a router maps the address of a device. Both let only answers in. A preserving one keeps the port for every
 * destination; a symmetric one takes a random port for each.
 */
export type Nat = 'preserving' | 'symmetric'

let networks = 0

/** One machine. */
export class Machine {
  readonly name: string
  #address: string

  constructor(name: string, address: string) {
    this.name = name
    this.#address = address
  }

  /** Its address on the network that it is part of. */
  get address(): string {
    return this.#address
  }

  /** The words in front of a command that has to run on this machine. */
  get enter(): readonly string[] {
    return ['nsenter', `--net=/run/netns/${this.name}`]
  }

  async runs(...command: readonly string[]): Promise<void> {
    await this.reads(...command)
  }

  /** Returns what the command prints. */
  async reads(...command: readonly string[]): Promise<string> {
    const [program = '', ...words] = [...this.enter, ...command]
    return (await run(program, words)).stdout
  }

  /** Adds rules of a firewall, in the language of nft. */
  async filters(rules: string): Promise<void> {
    await this.runs('nft', rules)
  }

  /** Joins a network of another machine by a cable of its own. */
  async plugsInto(bridge: Bridge, device: string, gateway?: string): Promise<void> {
    const far = `port${bridge.ports++}`
    const ends = ['veth', 'peer', 'name', far, 'netns', bridge.machine]
    await run('ip', ['link', 'add', device, 'netns', this.name, 'type', ...ends])
    await run('ip', ['-n', bridge.machine, 'link', 'set', far, 'master', bridge.name, 'up'])
    await run('ip', ['-n', this.name, 'address', 'add', `${this.address}/24`, 'dev', device])
    await run('ip', ['-n', this.name, 'link', 'set', device, 'up'])
    if (gateway) await run('ip', ['-n', this.name, 'route', 'add', 'default', 'via', gateway])
  }

  /** Leaves the network of a cable. What was to come from there is lost. */
  async unplugs(device: string): Promise<void> {
    await run('ip', ['-n', this.name, 'link', 'delete', device])
  }

  /** Has another address from now on. */
  isNow(address: string): void {
    this.#address = address
  }
}

/** A switch inside a machine, which has an address on it too. */
interface Bridge {
  readonly machine: string
  readonly name: string
  ports: number
}

/** The network behind one router. */
export class Home {
  readonly router: Machine
  readonly #network: Network
  readonly #bridge: Bridge
  #devices = 1

  constructor(network: Network, router: Machine, bridge: Bridge) {
    this.#network = network
    this.router = router
    this.#bridge = bridge
  }

  async machine(): Promise<Machine> {
    const machine = await this.#network.empty(this.#nextAddress())
    await machine.plugsInto(this.#bridge, 'eth0', '192.168.1.1')
    return machine
  }

  /** A machine comes from another network, as a phone does that changes to this one's Wi-Fi. */
  async takes(machine: Machine): Promise<void> {
    await machine.unplugs('eth0')
    machine.isNow(this.#nextAddress())
    await machine.plugsInto(this.#bridge, 'eth0', '192.168.1.1')
  }

  #nextAddress(): string {
    this.#devices += 1
    return `192.168.1.${this.#devices}`
  }

  /** Lets what comes from outside to these ports through to a machine, as a person sets in a router's menu. */
  async forwards(ports: readonly (number | string)[], to: Machine): Promise<void> {
    const match = `meta l4proto { tcp, udp } th dport { ${ports.join(', ')} }`
    await this.router.filters(`add rule ip nat arriving iifname "wan" ${match} dnat to ${to.address}`)
  }

  async dropsUdp(): Promise<void> {
    await this.router.filters('insert rule ip nat passing meta l4proto udp drop')
  }
}

/** The internet: one network, on which a server, routers and devices are. */
export class Network {
  /** The machine of the server. It is the switch too. */
  readonly server: Machine
  readonly #folder: string
  readonly #machines: string[]
  readonly #bridge: Bridge
  readonly #browsers: { close(): Promise<void> }[] = []
  #next = 10

  private constructor(server: Machine, folder: string, machines: string[]) {
    this.server = server
    this.#folder = folder
    this.#machines = machines
    this.#bridge = { machine: server.name, name: 'internet', ports: 0 }
  }

  static async make(): Promise<Network> {
    if (process.getuid?.() !== 0)
      throw new Error('These tests make networks, which only root may do. Run: sudo make test')
    await sweep()
    networks += 1
    const folder = await mkdtemp(join(tmpdir(), 'heliograph-network-'))
    const server = new Machine(`heliograph-${process.pid}-${networks}-0`, '203.0.113.1')
    const network = new Network(server, folder, [])
    try {
      await network.#adds(server)
      await switchIn(server, 'internet')
    } catch (error) {
      await network.remove()
      throw error
    }
    return network
  }

  /** A machine that is on the internet without NAT. */
  async machine(): Promise<Machine> {
    const machine = await this.empty(`203.0.113.${this.#next++}`)
    await machine.plugsInto(this.#bridge, 'eth0', this.server.address)
    return machine
  }

  /** A machine on the internet gets another address, as after its cable was pulled out and put in again. */
  async readdresses(machine: Machine): Promise<void> {
    await machine.unplugs('eth0')
    machine.isNow(`203.0.113.${this.#next++}`)
    await machine.plugsInto(this.#bridge, 'eth0', this.server.address)
  }

  async home(nat: Nat): Promise<Home> {
    const router = await this.empty(`203.0.113.${this.#next++}`)
    await router.plugsInto(this.#bridge, 'wan', this.server.address)
    await switchIn(new Machine(router.name, '192.168.1.1'), 'lan')
    await router.runs('sh', '-c', 'echo 1 >/proc/sys/net/ipv4/ip_forward')
    await router.filters(rulesOf(nat))
    return new Home(this, router, { machine: router.name, name: 'lan', ports: 0 })
  }

  /** The server's network drops everything of TURN from now on. */
  async dropsTurn(): Promise<void> {
    const ports = TURN_PORTS.join(', ')
    await this.server.filters(`
      add table ip cut
      add chain ip cut arriving { type filter hook input priority filter; }
      add chain ip cut leaving { type filter hook output priority filter; }
      add rule ip cut arriving meta l4proto { tcp, udp } th dport { ${ports} } drop
      add rule ip cut leaving meta l4proto { tcp, udp } th sport { ${ports} } drop`)
  }

  /** A browser that runs on a machine. It hides the addresses of its machine by mDNS, like the browsers of people. */
  async browser(machine: Machine): Promise<Browser> {
    const executablePath = await this.#chromium(machine)
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
    this.#browsers.push(browser)
    return browser
  }

  /** A page of a browser that runs on a machine with a profile on the disk, which large files need. */
  async page(machine: Machine, profile: string): Promise<Page> {
    const executablePath = await this.#chromium(machine)
    const context = await chromium.launchPersistentContext(profile, {
      ...CHROMIUM,
      executablePath,
      viewport: DESKTOP,
      ignoreHTTPSErrors: true,
    })
    this.#browsers.push(context)
    return context.pages()[0] ?? (await context.newPage())
  }

  /** Firefox on a machine. */
  async firefox({ name }: Machine): Promise<Browser> {
    const starter = fileURLToPath(new URL('firefox-elsewhere.ts', import.meta.url))
    const executablePath = await this.#program(`${name}-firefox`, `${process.execPath} ${starter} ${name}`)
    const browser = await firefox.launch({ ...FIREFOX, executablePath })
    this.#browsers.push(browser)
    return browser
  }

  /** Returns a program that runs Chromium on a machine. */
  async #chromium({ name, enter }: Machine): Promise<string> {
    return await this.#program(name, `${enter.join(' ')} ${CHROMIUM.executablePath}`)
  }

  /** Returns a program that runs a command with its own arguments added. */
  async #program(name: string, command: string): Promise<string> {
    const path = join(this.#folder, name)
    await writeFile(path, `#!/bin/sh\nexec ${command} "$@"\n`)
    await chmod(path, 0o755)
    return path
  }

  async remove(): Promise<void> {
    for (const browser of this.#browsers) await browser.close()
    for (const name of this.#machines) await run('ip', ['netns', 'delete', name])
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** A machine without any network. */
  async empty(address: string): Promise<Machine> {
    const machine = new Machine(`${this.server.name.slice(0, -1)}${this.#machines.length}`, address)
    await this.#adds(machine)
    return machine
  }

  async #adds({ name }: Machine): Promise<void> {
    await run('ip', ['netns', 'add', name])
    // An address of IPv6 that is checked for a second or two and then becomes valid is a change of network to a browser,
    // which ends what it loads.
    const unchecked = 'for f in /proc/sys/net/ipv6/conf/*/accept_dad; do [ ! -e "$f" ] || echo 0 > "$f"; done'
    await run('ip', ['netns', 'exec', name, 'sh', '-c', unchecked])
    this.#machines.push(name)
    await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  }
}

async function switchIn({ name, address }: Machine, bridge: string): Promise<void> {
  await run('ip', ['-n', name, 'link', 'add', bridge, 'type', 'bridge'])
  await run('ip', ['-n', name, 'address', 'add', `${address}/24`, 'dev', bridge])
  await run('ip', ['-n', name, 'link', 'set', bridge, 'up'])
}

/**
 * What arrives unasked is dropped before it is tracked: Linux would otherwise keep its port for it, and map the device
 * that answers to another one.
 */
function rulesOf(nat: Nat): string {
  return `
    add table ip nat
    add chain ip nat arriving { type nat hook prerouting priority dstnat; }
    add chain ip nat leaving { type nat hook postrouting priority srcnat; }
    add chain ip nat passing { type filter hook forward priority filter; }
    add chain ip nat own { type filter hook input priority filter; }
    add rule ip nat leaving oifname "wan" masquerade ${nat === 'symmetric' ? 'random,fully-random' : ''}
    add rule ip nat passing ct status dnat accept
    add rule ip nat passing iifname "wan" ct state new drop
    add rule ip nat own iifname "wan" ct state new drop`
}

/** Removes the machines of test processes that were killed. */
async function sweep(): Promise<void> {
  const { stdout } = await run('ip', ['netns', 'list'])
  // Two processes may sweep at the same time.
  for (const [, name = '', pid] of stdout.matchAll(/^(heliograph-(\d+)-\S+)/gm))
    if (!existsSync(`/proc/${pid}`)) await run('ip', ['netns', 'delete', name]).catch(() => {})
}
