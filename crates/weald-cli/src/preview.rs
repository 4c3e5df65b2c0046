//! `weald preview`: a picture of a world or of a baked folder.

use std::fs;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use weald::bake::chunk_list::ChunkList;
use weald::bake::cut::BakedChunks;
use weald::bake::local::{LocalOptions, bake, on_threads};
use weald::bake::manifest;
use weald::bake::plan::plan;
use weald::bake::preview::{
    self as pictures, Camera, Picture, PictureSettings, PreviewError, Scene, draw_level_key, level_looks,
};
use weald::bake::recipe;
use weald::bake::run::{plan_settings, scene_from_glb};
use weald::bake::store::{Store, StoreOptions, replace};
use weald::bake::{Error, View};

use crate::args::Preview;
use crate::bake::default_folder;
use crate::exit::{self, Failure, in_file};
use crate::print::line;
use crate::progress::{Bar, cancel_on_ctrl_c};
use crate::verify::{read_chunks, read_mesh};

/// First bytes of a PNG file.
const PNG: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// Takes a picture.
pub(crate) fn run(args: &Preview, quiet: bool) -> Result<u8, Failure> {
    check_flags(args)?;
    let (png, folder) = if args.subject.is_dir() { of_folder(args)? } else { of_world(args, quiet)? };
    let file = args.out.clone().unwrap_or_else(|| folder.join("view.png"));
    write_picture(&file, &png)?;
    if !quiet {
        line(&format!("wrote {}", file.display()));
    }
    Ok(exit::OK)
}

/// Whether the flags go together, as far as the parser cannot tell.
fn check_flags(args: &Preview) -> Result<(), Failure> {
    let wrong = |text: &str| Err(Failure::new(exit::USAGE, text));
    match (args.eye.is_some(), args.target.is_some()) {
        (false, true) => wrong("--target needs --eye"),
        (true, _) if args.plan && !args.levels => {
            wrong("--plan looks from straight above: --eye has no place in it")
        }
        (true, false) if !args.levels => wrong("--eye needs --target"),
        _ => Ok(()),
    }
}

/// Writes a picture; no file that is none is written over.
pub(crate) fn write_picture(file: &Path, png: &[u8]) -> Result<(), Failure> {
    if file.exists() && !is_png(file) {
        let message = format!("the file is there and no picture; nothing was written ({})", file.display());
        return Err(Failure::new(exit::OUTPUT, message));
    }
    Ok(replace(file, png)?)
}

fn is_png(file: &Path) -> bool {
    let mut head = [0; 8];
    fs::File::open(file).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *PNG
}

/// A picture of a world, which is baked as far as that needs; flags take the place of what the world file says.
fn of_world(args: &Preview, quiet: bool) -> Result<(Vec<u8>, PathBuf), Failure> {
    let mut recipe = recipe::load(&args.subject)?;
    recipe.camera = camera(args, recipe.camera);
    settings(args, &mut recipe.picture);
    let folder = default_folder(&recipe);
    manifest::claim(&folder)?;
    let plan = plan(&recipe, recipe.region).map_err(Error::from)?;
    if args.levels {
        let store = Store::open(&folder.join(manifest::STORE), StoreOptions::default())?;
        let cancel = cancel_on_ctrl_c();
        let bar = Bar::new(quiet);
        let options =
            LocalOptions { threads: args.jobs, cancel: &cancel, progress: &|progress| bar.show(progress) };
        bake(&recipe, &plan, &[&plan.list], &store, &options)?;
        drop(bar);
        let list = ChunkList::from_json(&manifest::bytes_of(&plan.list, &store)?).map_err(Error::from)?;
        let png = on_threads(args.jobs, || {
            levels(args, &BakedChunks::read(&list, &store)?, recipe.camera, &recipe.picture, &cancel)
        })??;
        return Ok((png, folder));
    }
    let view = if args.plan { View::Plan } else { View::Perspective };
    // Where the camera follows from the mesh, its angle can be set only when the mesh is there.
    let framed = args.fov.is_some() && recipe.camera.is_none();
    let wanted = if framed { &plan.scene } else { &plan.pictures[view as usize] };
    let store = Store::open(&folder.join(manifest::STORE), StoreOptions::default())?;
    let cancel = cancel_on_ctrl_c();
    let bar = Bar::new(quiet);
    let options =
        LocalOptions { threads: args.jobs, cancel: &cancel, progress: &|progress| bar.show(progress) };
    let outcome = bake(&recipe, &plan, &[wanted], &store, &options)?;
    if let Some((_, why)) = outcome.refused.into_iter().next() {
        return Err(Error::Picture(why).into());
    }
    let bytes = manifest::bytes_of(wanted, &store)?;
    if !framed {
        return Ok((bytes, folder));
    }
    let scene = scene_from_glb(&bytes)?;
    Ok((on_threads(args.jobs, || take(args, &scene, &recipe.picture, &cancel))??, folder))
}

/// A picture of a baked folder.
fn of_folder(args: &Preview) -> Result<(Vec<u8>, PathBuf), Failure> {
    let cancel = cancel_on_ctrl_c();
    let mut look = PictureSettings::default();
    settings(args, &mut look);
    if args.levels {
        let png = on_threads(args.jobs, || {
            Ok::<_, Failure>(levels(args, &read_chunks(&args.subject)?, None, &look, &cancel)?)
        })??;
        return Ok((png, args.subject.clone()));
    }
    let file = args.subject.join(manifest::SCENE);
    let glb = read_mesh(&file)?;
    let png = on_threads(args.jobs, || {
        let scene = scene_from_glb(&glb).map_err(|error| in_file(&error, &file))?;
        Ok::<_, Failure>(take(args, &scene, &look, &cancel)?)
    })??;
    Ok((png, args.subject.clone()))
}

/// A picture of the levels of detail that a viewer is shown, as the bytes of a PNG file.
fn levels(
    args: &Preview,
    baked: &BakedChunks,
    otherwise: Option<Camera>,
    look: &PictureSettings,
    cancel: &AtomicBool,
) -> Result<Vec<u8>, Error> {
    let cut = baked.cut_for(args.eye.map(Into::into), args.pixels)?;
    let sewn = baked.mesh_of(&cut)?;
    let scene = Scene::new(&sewn.mesh, &level_looks(baked.coarsest().index() + 1))?;
    let mut picture = shoot(args, &scene, camera(args, otherwise), look, cancel)?;
    draw_level_key(&mut picture, &sewn.key(baked.lattice()));
    Ok(picture.to_png())
}

/// A picture of a mesh, as the bytes of a PNG file.
fn take(
    args: &Preview,
    scene: &Scene,
    look: &PictureSettings,
    cancel: &AtomicBool,
) -> Result<Vec<u8>, Error> {
    Ok(shoot(args, scene, camera(args, None), look, cancel)?.to_png())
}

/// A picture of a scene from a camera, or from where all of it is seen.
fn shoot(
    args: &Preview,
    scene: &Scene,
    camera: Option<Camera>,
    look: &PictureSettings,
    cancel: &AtomicBool,
) -> Result<Picture, Error> {
    let go_on = |_| match cancel.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let picture = if args.plan {
        pictures::plan(scene, None, &plan_settings(scene, look), &go_on)
    } else {
        let camera = camera.unwrap_or_else(|| Camera {
            vertical_fov_deg: args.fov.unwrap_or(pictures::frame(scene.bounds()).vertical_fov_deg),
            ..pictures::frame(scene.bounds())
        });
        pictures::perspective(scene, &camera, look, &go_on)
    };
    picture.map_err(|error| match error {
        PreviewError::Cancelled => Error::Interrupted,
        error => Error::Picture(error),
    })
}

fn camera(args: &Preview, otherwise: Option<Camera>) -> Option<Camera> {
    const FOV_DEG: f64 = 50.0;
    let placed = args.eye.zip(args.target).map(|(eye, target)| Camera {
        eye: eye.into(),
        target: target.into(),
        vertical_fov_deg: FOV_DEG,
    });
    let camera = placed.or(otherwise)?;
    Some(Camera { vertical_fov_deg: args.fov.unwrap_or(camera.vertical_fov_deg), ..camera })
}

fn settings(args: &Preview, settings: &mut PictureSettings) {
    if let Some((width, height)) = args.size {
        (settings.width, settings.height) = (width, height);
    }
}
