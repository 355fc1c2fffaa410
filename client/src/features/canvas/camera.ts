/** The camera: conversion between canvas and screen, and all its movements. */
import type { Camera, Point } from '../../stores/canvas'
import { type Box, clamp, middle, type Size } from './geometry'

/** Distance of the grid's dots, in canvas pixels. */
export const GRID = 50
/** Smallest zoom: the 5,000 notes that a saved beam holds fit any window. */
export const LEAST_ZOOM = 0.01
export const MOST_ZOOM = 2
/** Zoom factor of one press of a zoom button. */
export const ZOOM_STEP = 1.25

/** Space of the floating bars at the edges of the screen. */
export interface Insets {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

export function toScreen(camera: Camera, at: Point): Point {
  return { x: (at.x - camera.x) * camera.zoom, y: (at.y - camera.y) * camera.zoom }
}

export function toCanvas(camera: Camera, at: Point): Point {
  return { x: camera.x + at.x / camera.zoom, y: camera.y + at.y / camera.zoom }
}

/** Returns the part of the canvas that the screen shows. */
export function visibleBox(camera: Camera, screen: Size): Box {
  return {
    x: camera.x,
    y: camera.y,
    width: screen.width / camera.zoom,
    height: screen.height / camera.zoom,
  }
}

/** Moves the view by screen pixels, so that the point under the pointer follows it. */
export function panned(camera: Camera, by: Point): Camera {
  return { ...camera, x: camera.x - by.x / camera.zoom, y: camera.y - by.y / camera.zoom }
}

/** Zooms by a factor around a point of the screen, which stays in place. */
export function zoomed(camera: Camera, factor: number, at: Point): Camera {
  const zoom = clamp(camera.zoom * factor, LEAST_ZOOM, MOST_ZOOM)
  const still = toCanvas(camera, at)
  return { x: still.x - at.x / zoom, y: still.y - at.y / zoom, zoom }
}

/** Moves the view so that a canvas point is in the middle of the screen. The zoom stays. */
export function centredOn(camera: Camera, at: Point, screen: Size): Camera {
  const { zoom } = camera
  return { x: at.x - screen.width / zoom / 2, y: at.y - screen.height / zoom / 2, zoom }
}

/** Shows the whole box between the bars, as large as it fits but at most in its own size. */
export function fitted(box: Box, screen: Size, insets: Insets): Camera {
  const width = Math.max(1, screen.width - insets.left - insets.right)
  const height = Math.max(1, screen.height - insets.top - insets.bottom)
  const zoom = clamp(Math.min(width / box.width, height / box.height), LEAST_ZOOM, 1)
  const { x, y } = middle(box)
  return {
    x: x - (insets.left + width / 2) / zoom,
    y: y - (insets.top + height / 2) / zoom,
    zoom,
  }
}

/** Moves as little as needed to show the box between the bars. When it does not fit, its upper left corner is shown. */
export function showing(camera: Camera, box: Box, screen: Size, insets: Insets): Camera {
  const { zoom } = camera
  const inner = {
    x: camera.x + insets.left / zoom,
    y: camera.y + insets.top / zoom,
    width: (screen.width - insets.left - insets.right) / zoom,
    height: (screen.height - insets.top - insets.bottom) / zoom,
  }
  const shift = (at: number, length: number, from: number, room: number) =>
    at < from || length > room ? at - from : Math.max(0, at + length - from - room)
  return {
    x: camera.x + shift(box.x, box.width, inner.x, inner.width),
    y: camera.y + shift(box.y, box.height, inner.y, inner.height),
    zoom,
  }
}

/** Interpolates between two views; `part` goes from 0 to 1. */
export function between(from: Camera, to: Camera, part: number): Camera {
  const mix = (a: number, b: number) => a + (b - a) * part
  return { x: mix(from.x, to.x), y: mix(from.y, to.y), zoom: mix(from.zoom, to.zoom) }
}

/** Returns the grid on the screen: the distance of its dots, and the offset of the first ones. */
export function gridOf({ x, y, zoom }: Camera): { cell: number; left: number; top: number } {
  let square = GRID
  // At a small zoom only some of the dots are drawn, so that they do not merge.
  while (square * zoom < GRID / 2) square *= 2
  const cell = square * zoom
  const rest = (at: number) => -(((at * zoom) % cell) + cell) % cell
  return { cell, left: rest(x), top: rest(y) }
}
